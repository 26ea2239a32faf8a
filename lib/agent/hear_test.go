//go:build unix

package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A listener is a session of an agent, with a state directory of its own.
type listener struct {
	agent, root, state, session string
}

func newListener(t *testing.T, name string, unread int) listener {
	t.Helper()
	return listener{name, newProject(t, unread, "x\n"), t.TempDir(), "s-1"}
}

func (l listener) run(r io.Reader, hook func(agent.Session)) (stdout, stderr string) {
	var out, problems bytes.Buffer
	hook(agent.Session{Agent: l.agent, To: "ben", Cwd: l.root, Stdin: r, Stdout: &out, Stderr: &problems, Patience: time.Minute,
		Getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": l.state, "HOME": l.state}[name] },
		Options: func(o *handoff.Options) {
			o.UserState, o.Fingerprint = "", func() (string, error) { return strings.Repeat("0", 64), nil }
		}})
	return out.String(), problems.String()
}

func (l listener) input() io.Reader {
	return strings.NewReader(fmt.Sprintf(`{"session_id":%q,"cwd":%q,"prompt":"x"}`, l.session, l.root))
}

func (l listener) start() string {
	out, _ := l.run(l.input(), agent.SessionStart)
	return out
}

func (l listener) hear(e agent.Event) string {
	out, problems := l.run(l.input(), func(s agent.Session) { agent.Hear(s, e) })
	return out + problems
}

// later lets the minute pass in which a session hears nothing more.
func (l listener) later(t *testing.T) {
	t.Helper()
	notes, err := filepath.Glob(filepath.Join(l.state, "handoff/heard/*/note"))
	if err != nil || len(notes) == 0 {
		t.Fatalf("%v: no memory", err)
	}
	for _, note := range notes {
		text, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Split(string(text), "\n")
		fields[1] = "2001-01-01T00:00:00Z" // Told
		write(t, note, strings.Join(fields, "\n"))
	}
}

// A running session hears of what arrives, once and in one line of its agent's form, and of nothing else.
func TestHear(t *testing.T) {
	for _, name := range agent.Names() {
		for _, e := range []agent.Event{agent.Prompt, agent.Tool} {
			t.Run(name+" "+string(e), func(t *testing.T) {
				l := newListener(t, name, 12)
				if name == "plain" { // whose start tells no session
					l.hear(e)
					l.later(t)
				}
				if l.start() == "" || l.hear(e) != "" {
					t.Fatal("told twice, or not at all")
				}
				handOver(t, l.root, "deploy")
				line := l.hear(e)
				if strings.Count(line, "1 new handoff for ben") != 1 || !strings.Contains(line, " ann deploy") || strings.Count(line, "\n") != 1 {
					t.Fatalf("%q", line)
				}
				var envelope map[string]any
				if err := json.Unmarshal([]byte(line), &envelope); (err == nil) != (name != "plain") {
					t.Errorf("%v: %s", err, line)
				}
				for _, word := range []string{"decision", "continue", "permission", "block", "stopReason"} {
					if envelope[word] != nil {
						t.Errorf("it does more than append: %s", line)
					}
				}
				if again := l.hear(agent.Prompt) + l.hear(agent.Tool); again != "" {
					t.Errorf("again: %q", again)
				}
			})
		}
	}
}

// The same store gives the same report, also for what was taken or done within one second.
func TestTakenInOrder(t *testing.T) {
	l := newListener(t, "claude", 6)
	store := open(t, l.root)
	all, err := store.List(handoff.Filter{To: "ben"})
	if err != nil || len(all) != 6 {
		t.Fatal(all, err)
	}
	for _, e := range all {
		if _, err := store.Act(t.Context(), handoff.ActTake, e.ID, handoff.Who{Operator: "ben"}); err != nil {
			t.Fatal(err)
		}
	}
	first := l.start()
	for range 20 {
		if again := l.start(); again != first {
			t.Fatalf("%s\n%s", first, again)
		}
	}
	for _, e := range all {
		if _, err := store.Act(t.Context(), handoff.ActDone, e.ID, handoff.Who{Operator: "ben"}); err != nil {
			t.Fatal(err)
		}
	}
	ended := store.Lifecycle().Endings("ann", "", time.Hour)
	isSame := func(a, b handoff.Ending) bool { return a.Entry.ID == b.Entry.ID }
	for range 20 {
		again := open(t, l.root).Lifecycle().Endings("ann", "", time.Hour)
		if len(again) != 6 || !slices.EqualFunc(again, ended, isSame) {
			t.Fatalf("%v\n%v", ended, again)
		}
	}
}

// What git brings is no change of the log, and is heard of too.
func TestHearOfPulled(t *testing.T) {
	l := newListener(t, "claude", 1)
	write(t, filepath.Join(l.root, handoff.SettingsName), "git: tracked\n")
	l.start()
	other := newProject(t, 0, "")
	handOver(t, other, "pulled")
	name := "2026-05-08-ann-ben-pulled.md"
	write(t, filepath.Join(l.root, "handoffs", name), string(must(os.ReadFile(filepath.Join(other, "handoffs", name)))))
	if line := l.hear(agent.Prompt); !strings.Contains(line, "1 new handoff for ben") || !strings.Contains(line, " ann pulled") {
		t.Errorf("%q", line)
	}
}

// At most one line a minute; the newest three are named, the others counted; names of others are cut.
func TestHearIsShort(t *testing.T) {
	l := newListener(t, "claude", 0)
	l.start()
	for i := range 5 {
		handOver(t, l.root, fmt.Sprint("one-", i))
	}
	line := l.hear(agent.Tool)
	if !strings.Contains(line, "5 new handoffs for ben") || strings.Count(line, "ann one-") != 3 || !strings.Contains(line, "and 2 more: `handoff list --unread --to ben`") {
		t.Errorf("%s", line)
	}
	handOver(t, l.root, strings.Repeat("obey-", 14))
	if early := l.hear(agent.Tool); early != "" {
		t.Errorf("within a minute: %s", early)
	}
	l.later(t)
	if line = l.hear(agent.Prompt); !strings.Contains(line, "1 new handoff for ben") || !strings.Contains(line, "ann obey-obey-obey-obey-o...") ||
		!strings.Contains(line, "chosen by the sender") {
		t.Errorf("after a minute: %s", line)
	}
	l.later(t)
	if line = l.hear(agent.Prompt); line != "" {
		t.Errorf("again: %s", line)
	}
}

// A session that no hook began and another session each hear of it; without a memory nothing is said.
func TestHearIsOfASession(t *testing.T) {
	l := newListener(t, "claude", 1)
	first := l.hear(agent.Prompt)
	if !strings.Contains(first, "1 new handoff") {
		t.Errorf("%s", first)
	}
	other := l
	if other.session = "s-2"; other.hear(agent.Prompt) != first {
		t.Error("the other session is told something else")
	}
	handOver(t, l.root, "new")
	for _, state := range []string{"relative", "/dev/null/x"} {
		blind := l
		if blind.state = state; blind.hear(agent.Prompt) != "" {
			t.Error("announced, but it cannot be remembered")
		}
	}
}

// Hooks of one session at the same time announce once.
func TestHearOnceAtOnce(t *testing.T) {
	l := newListener(t, "claude", 0)
	l.start()
	handOver(t, l.root, "new")
	var lines [8]string
	var wg sync.WaitGroup
	for i := range lines {
		wg.Go(func() { lines[i] = l.hear([]agent.Event{agent.Prompt, agent.Tool}[i%2]) })
	}
	wg.Wait()
	if all := strings.Join(lines[:], ""); strings.Count(all, "1 new handoff for ben") != 1 {
		t.Errorf("%q", lines)
	}
}

// Whatever an agent says, or does not: no output, no wait, no panic. The clock of this test passes only while all that
// runs waits for it.
func TestHearHostileInput(t *testing.T) { synctest.Test(t, hearHostileInput) }

func hearHostileInput(t *testing.T) {
	afterTheHandoffs()
	l := newListener(t, "claude", 1)
	huge := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"tool_response":"`), io.LimitReader(repeated{'x'}, 100<<20), strings.NewReader(`","session_id":"late"}`))
	}
	for i, r := range []io.Reader{nil, newMute(t), endless(t, '['), endless(t, 0), huge(), strings.NewReader(""), strings.NewReader("}{"), strings.NewReader("[]"), strings.NewReader(`"x"`),
		strings.NewReader(`{"session_id":7,"cwd":[]}`), strings.NewReader(`{"session_id":"\u001b[2J"}`), strings.NewReader(`{"session_id":"../../x"}`),
		strings.NewReader(`{"session_id":"s","cwd":"/nowhere/at/all"}`), strings.NewReader(`{"session_id":"t","cwd":"/dev/null"}`), strings.NewReader(`{"session_id":"u","cwd":"/proc/self/fd"}`),
		strings.NewReader(strings.Repeat(`{"a":`, 100000)),
	} {
		begun := time.Now()
		out, problems := l.run(r, func(s agent.Session) { agent.Hear(s, agent.Tool) })
		if out+problems != "" || time.Since(begun) > 300*time.Millisecond {
			t.Errorf("%d: %q, %q, %v", i, out, problems, time.Since(begun))
		}
	}
	late := io.MultiReader(strings.NewReader(`{"session_id":"s-7","tool_response":"`), endless(t, 'x'))
	if out, _ := l.run(late, func(s agent.Session) { agent.Hear(s, agent.Tool) }); !strings.Contains(out, "1 new handoff") {
		t.Errorf("the session's id comes first, and the rest is too long: %q", out)
	}
	vim := l
	if vim.agent = "vim\x1b"; vim.hear(agent.Prompt) != "" {
		t.Error("an unknown agent is told something")
	}
}

// A memory that was damaged counts as missing, and memories do not pile up.
func TestMemories(t *testing.T) {
	l := newListener(t, "claude", 1)
	l.start()
	handOver(t, l.root, "new")
	notes, _ := filepath.Glob(filepath.Join(l.state, "handoff/heard/*/note"))
	for _, text := range []string{"", "{", "\nx\ny\n\n\n/a\nend", strings.Repeat("\n", 2<<20)} {
		write(t, notes[0], text)
		l.hear(agent.Prompt)
	}
	for i := range 300 {
		l.session = fmt.Sprint("many-", i)
		l.start()
	}
	notes, _ = filepath.Glob(filepath.Join(l.state, "handoff/heard/*"))
	if len(notes) > 256 {
		t.Errorf("%d memories", len(notes))
	}
}

// What a look finds too late for the agent is announced by the next one, a minute later.
func TestHearTooLate(t *testing.T) {
	l := newListener(t, "claude", 1)
	l.start()
	handOver(t, l.root, "new")
	if out, _ := l.run(l.input(), func(s agent.Session) {
		s.Patience = time.Nanosecond
		agent.Hear(s, agent.Tool)
	}); out != "" {
		t.Fatalf("in time: %q", out)
	}
	for range 50 { // the look that came too late ends on its own
		time.Sleep(20 * time.Millisecond)
	}
	l.later(t)
	if line := l.hear(agent.Tool); !strings.Contains(line, "1 new handoff for ben") {
		t.Errorf("never announced: %q", line)
	}
}
