//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	bin, root := released.in(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".handoff.yaml"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return person{t, bin, root, []string{"HOME=" + t.TempDir(), "TERM=xterm", "TZ=UTC", "HANDOFF_OPERATOR=ben", "PATH=" + bin + ":" + os.Getenv("PATH")}}
}

// sees runs a line of shell on the terminal and returns the screen.
func (p person) sees(line string) string { return p.types(line, "", "") }

// types is sees, and types something once the screen has shown what comes before.
func (p person) types(line, after, typed string) string {
	p.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = p.root, p.env
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		p.Skipf("no pseudo-terminal: %v", err)
	}
	defer terminal.Close()
	var shown []byte
	piece := make([]byte, 4096)
	for {
		n, err := terminal.Read(piece)
		if shown = append(shown, piece[:n]...); err != nil {
			break // the program has gone
		}
		if typed == "" || !bytes.Contains(shown, []byte(after)) {
			continue
		}
		if _, err := io.WriteString(terminal, typed); err != nil {
			p.Fatal(err)
		}
		typed = ""
	}
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
	t.Parallel()
	p := newPerson(t)
	p.expect(p.types("handoff write - --from ann --to ben", "Ctrl-D", "# Tests are green\n\nThe *deploy* is open.\x1b[2J\n\x04"),
		"reading standard input until Ctrl-D", "for ben: Tests are green", "!{")
	p.expect(p.types("handoff write - --to ben || cat $(ls -t ~/.local/state/handoff/kept/* | head -1)", "Ctrl-D", "The token is ghp_"+"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n\x04"),
		"your text is kept: ", "`handoff write --to ben --redact - < ", "handoff/kept/", "The token is ghp_")
	p.expect(p.types("handoff reply $(handoff list --format ids) - || true", "Ctrl-D", "The token is ghp_"+"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n\x04"),
		"your text is kept: ", " - < ", "handoff/kept/")
	p.expect(p.sees("handoff reply $(handoff list --format ids) - --to 'b n' || true"), "is not an operator name", "!Ctrl-D")
	p.expect(p.sees("handoff list"), "\x1b[1m", "Tests are green", "unread", "!sha256")
	p.expect(p.sees("NO_COLOR=1 handoff list"), "Tests are green", "!\x1b")
	p.expect(p.sees("NO_COLOR=1 handoff search what about the deploy"), "TITLE", "Tests are green", "    line 3 | The *deploy* is open.", "!sha256", "!\x1b")
	p.expect(p.sees("handoff read @"), "\x1b[1mTests are green", "ann to ben", "just now, ", "The \x1b[3m*deploy*\x1b[m is open.", "next: handoff take | reply | done ", "marked as read; undo: `handoff mark-read --undo ", "!\x1b[2J")
	p.expect(p.sees("NO_COLOR=1 handoff read @"), "deploy", "!\x1b")
	p.expect(p.sees("NO_COLOR=1 handoff mark-read --undo @ && handoff read @ --keep-unread"), "deploy", "!marked as read")
	p.expect(p.sees("handoff mark-read @"), "marked 1 handoff as read; undo: `handoff mark-read --undo ")
	p.expect(p.sees("handoff mark-read @"), "nothing to mark as read")
	p.expect(p.sees("handoff mark-read --all"), "nothing to mark as read")
	p.expect(p.sees("handoff release $(handoff list --format ids)"), "was read before; nothing changed", "!gave")

	// new asks for the recipient, and opens the editor.
	p.env = append(p.env, `EDITOR=sh -c "cat \$1; echo All is done. >>\$1" sh`, "HANDOFF_OPERATOR=ann")
	p.expect(p.types("handoff write --topic deploy --tag ci", "to: ", "ben\n"), "to: ", "what to beware of", "for ben: ")
	p.expect(p.sees("handoff list --tag ci --format rows"), "deploy")

	// What is long goes to the pager, unless that is not wanted.
	p.env = append(p.env, "HANDOFF_OPERATOR=ben")
	long := "for i in $(seq 100); do echo \"line $i\"; echo; done | handoff write - --from ann --to ben --topic long"
	p.expect(p.sees(long), "for ben: ")
	p.expect(p.sees("handoff list"), "line 1")
	p.expect(p.sees("PAGER='sed s/^/page:/' handoff read @"), "page:line 100")
	p.expect(p.sees("PAGER=none-such handoff read @"), "line 100")
}

// The session of the README is what people see at a terminal of 80 columns, with another id.
func TestReadmeSession(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	_, session, _ := strings.Cut(readme(t), "```console\n")
	session, _, _ = strings.Cut(session, "```")
	const id = "8211a504"
	got, found, who := "", id, "ann"
	for line := range strings.Lines(session) {
		command, is := strings.CutPrefix(line, "$ ")
		if !is {
			continue
		}
		if strings.Contains(line, "# Ben") {
			who = "ben"
		}
		p.env = append(p.env, "HANDOFF_OPERATOR="+who)
		screen := p.sees(strings.ReplaceAll(command, id, found))
		if got == "" {
			found = regexp.MustCompile(`[0-9a-f]{8}`).FindString(screen)
		}
		got += line + strings.ReplaceAll(screen, found, id)
	}
	if got != session || strings.Count(got, "\n") != 8 {
		t.Errorf("the session is\n%s", got)
	}
}

// A name that is probably mistyped is asked about before a command acts for it, even if the command names no handoff.
func TestActAsMistyped(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.sees("handoff write -m 'Deploy it' --to benn --from ann; handoff write -m 'Test it' --to ann")
	for _, line := range []string{"handoff take --operator bem", "handoff done --operator bem"} {
		if shown := p.types(line+" || true", "[y/N]", "n\n"); !strings.Contains(shown, "did you mean ben? Act as bem?") ||
			!strings.Contains(shown, "nothing was done") {
			t.Errorf("%s: %q", line, shown)
		}
	}
}
