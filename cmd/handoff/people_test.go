//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// A person is somebody at a terminal of 80 columns, in a project of their own.
type person struct {
	*testing.T
	bin, root string
	env       []string
}

func newPerson(t *testing.T) person {
	t.Helper()
	bin, root := t.TempDir(), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin+"/", ".", "../handoff-full").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(root, ".handoff.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return person{t, bin, root, []string{"HOME=" + t.TempDir(), "TERM=xterm", "TZ=UTC", "HANDOFF_OPERATOR=ben", "PATH=" + bin + ":" + os.Getenv("PATH")}}
}

// sees runs a line of shell on the terminal with what is typed, and returns the screen.
func (p person) sees(typed, line string) string {
	p.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = p.root, p.env
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		p.Skipf("no pseudo-terminal: %v", err)
	}
	defer terminal.Close()
	if _, err := io.WriteString(terminal, typed); err != nil {
		p.Fatal(err)
	}
	shown, _ := io.ReadAll(terminal) // fails when the program has gone
	if err := cmd.Wait(); err != nil {
		p.Errorf("%s: %v\n%s", line, err, shown)
	}
	return strings.ReplaceAll(string(shown), "\r\n", "\n")
}

func (p person) expect(screen string, wants ...string) {
	p.Helper()
	for _, want := range wants {
		no := strings.HasPrefix(want, "!")
		if strings.Contains(screen, strings.TrimPrefix(want, "!")) == no {
			p.Errorf("%q: %v\n%s", want, no, screen)
		}
	}
}

// On a terminal commands speak to people: lines in the place of JSON, a table that fits, a body that is rendered.
func TestPeopleAtATerminal(t *testing.T) {
	p := newPerson(t)
	p.expect(p.sees("# Tests are green\n\nThe *deploy* is open.\x1b[2J\n\x04", "handoff write - --from ann --to ben"),
		"reading standard input until Ctrl-D", "stored ", " as handoffs/", "!{")
	p.expect(p.sees("", "handoff list"), "\x1b[1m", "just now", "tests-are-green", "unread", "!sha256")
	p.expect(p.sees("", "NO_COLOR=1 handoff list"), "tests-are-green", "!\x1b")
	p.expect(p.sees("", "handoff read @"), "\x1b[1mtests-are-green", "ann to ben", "just now, ", "The ", "!*deploy*", "next: handoff take | reply | done | mark-read ", "!\x1b[2J")
	p.expect(p.sees("", "NO_COLOR=1 handoff read @"), "deploy", "!\x1b")
	p.expect(p.sees("", "handoff mark-read @"), "1 handoff marked as read by ben")
	p.expect(p.sees("", "handoff mark-read @"), "had been marked as read by ben before")
	p.expect(p.sees("", "handoff mark-read --all"), "nothing is unread")

	// What is long goes to the pager, unless that is not wanted.
	long := "for i in $(seq 100); do echo \"line $i\"; echo; done | handoff write - --from ann --to ben --topic long"
	p.expect(p.sees("", long), "stored ")
	p.expect(p.sees("", "PAGER='sed s/^/page:/' handoff read @"), "page:line 100")
	p.expect(p.sees("", "PAGER='sed s/^/page:/' handoff read @ --no-pager"), "line 100", "!page:")
	p.expect(p.sees("", "PAGER=none-such handoff read @"), "line 100")
}
