package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A terminal is one in which an agent runs, as for a person.
type terminal struct {
	*desk
	socket string
}

// terminal starts an agent in a terminal of its own.
func (d *desk) terminal(words ...string) *terminal {
	d.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		d.Skip("tmux is not installed")
	}
	t := &terminal{d, filepath.Join(d.home, "tmux")}
	t.tmux(append([]string{"new-session", "-d", "-x", "140", "-y", "50", "--"}, words...)...)
	pid, err := strconv.Atoi(strings.TrimSpace(t.tmux("display-message", "-p", "#{pane_pid}")))
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { gone(pid) }) // who would write into the home for a little longer; tmux ends with its last window
	return t
}

func (t *terminal) cmd(words ...string) *exec.Cmd {
	return t.command(append([]string{"tmux", "-f", os.DevNull, "-S", t.socket}, words...)...)
}

func (t *terminal) tmux(words ...string) string {
	t.Helper()
	out, err := t.cmd(words...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v\n%s", words, err, out)
	}
	return string(out)
}

func (t *terminal) screen() string { return t.tmux("capture-pane", "-p") }

// ends ends the agent, and waits until it is gone.
func (t *terminal) ends() {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(t.tmux("display-message", "-p", "#{pane_pid}")))
	if err != nil {
		t.Fatal(err)
	}
	t.tmux("kill-server")
	gone(pid)
}

// shows waits until the screen shows one of the texts.
func (t *terminal) shows(texts ...string) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < patience/2; {
		screen := t.screen()
		for _, text := range texts {
			if strings.Contains(screen, text) {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the terminal never showed one of %q:\n%s", texts, t.screen())
}

// types types a line, and lets the agent see its end as a key of its own: they take what comes at once for pasted text.
func (t *terminal) types(line string) {
	t.Helper()
	t.tmux("send-keys", "-l", "--", line)
	time.Sleep(time.Second)
	t.tmux("send-keys", "Enter")
}

// asks types a line, waits until the model was asked about it and the screen shows that it has answered.
func (t *terminal) asks(line, mention string) {
	t.Helper()
	t.hears(line, mention, "")
}

// hears is asks for an answer that begins with a text.
func (t *terminal) hears(line, mention, begin string) {
	t.Helper()
	answer := fmt.Sprintf("answer-%d", time.Now().UnixNano())
	t.model.reset(step{text: begin + answer, usage: 40_000, to: line}) // else Gemini CLI finds nothing to compact
	t.types(line)
	t.shows(answer)
	if t.model.sees(mention, "").count == 0 {
		t.Errorf("after %q the model was not asked about %q", line, mention)
	}
}
