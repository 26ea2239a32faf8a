//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// completed are lines that are typed, tabs and all, and what a shell shows then; what begins with ! it does not show.
// ID stands for the eight digits of the id of a handoff from ann to ben.
var completed = []struct {
	typed string
	shows []string
}{
	{"handoff re\t\t", []string{"record", "Make, show and validate"}},
	{"handoff \t\t", []string{"whoami", "!no-help"}},
	{"handoff help form\t\t", []string{"formats"}},
	{"handoff operators \t\t", []string{"verify", "trust"}},
	{"handoff read \t\t", []string{"ID", "ann to ben: Deploy, 2026-05-07T12:00:00Z", "ann to cy: Deploy, ", "!note.md"}},
	{"handoff read sha256:\t\t", []string{"ID", "ann to ben: Deploy"}},
	{"handoff read 2026-05-07-ann-ben\t", []string{"-deploy.md"}},
	{"handoff read handoffs/2026-05-08\t", []string{"-ann-cy-review.md"}},
	{"handoff reply ID \t\t", []string{"note.md"}},
	{"handoff write no\t", []string{"te.md"}},
	{"handoff list --state \t\t", []string{"archived", "superseded", "!note.md"}},
	{"handoff list --state=\t\t", []string{"archived", "superseded", "!note.md"}},
	{"handoff list --state=sup\t", []string{"erseded"}},
	{"handoff take ID --operator \t\t", []string{"ann", "cy", "!note.md"}},
	{"handoff take ID --operator=\t\t", []string{"ann", "cy", "!note.md"}},
	{"handoff list --since=yes\t", []string{"terday"}},
	{"handoff list --to ben --tag \t\t", []string{"ci"}},
	{"handoff --root \t\t", []string{"there/", "!note.md"}},
	{"handoff list --root=th\t", []string{"ere/"}},
	{"handoff list --operators-file no\t", []string{"te.md"}},
	{"handoff list --lock-timeout \t\t", []string{"30s", "!note.md"}},
	{"handoff page -o \t\t", []string{"there/", "!note.md"}},
	{"handoff write note.md --sign=no\t", []string{"te.md"}},
	{"handoff --root there list --to \t\t", []string{"dan", "eve", "!ben"}},
}

// Completion in real shells: commands, ids with what they are about, values of flags, directories and files. In bash with
// the package bash-completion and without it.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	const library = "/usr/share/bash-completion/bash_completion"
	p := newPerson(t)
	id := p.project()
	for _, shell := range []struct{ name, start, begin, needs string }{
		{"bare bash", "bash --norc --noprofile -i", "bind 'set completion-query-items 0'; bind 'set page-completions off'; . <(handoff completion bash)", "bash"},
		{"bash", "bash --norc --noprofile -i", "bind 'set completion-query-items 0'; bind 'set page-completions off'; . " + library + "; . <(handoff completion bash)", library},
		{"zsh", "zsh -f -i", "LISTMAX=1000; autoload -U compinit; compinit -u; source <(handoff completion zsh)", "zsh"},
		{"fish", "fish -i", "function fish_prompt; echo -n 'ready> '; end; set -g fish_greeting; handoff completion fish | source", "fish"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			if _, err := os.Stat(shell.needs); err != nil {
				if _, err = exec.LookPath(shell.needs); err != nil {
					t.Skipf("%s is not there", shell.needs)
				}
			}
			p := p
			p.T = t
			data := t.TempDir() // fish makes completions of all man pages in the background, unless it has some
			for _, dir := range []string{"fish/generated_completions", "fish/completions"} {
				if err := os.MkdirAll(filepath.Join(data, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			p.env = append(slices.Clip(p.env), "XDG_DATA_HOME="+data, "XDG_CACHE_HOME="+data)
			s := p.shell(shell.start, shell.begin)
			defer s.Close()
			for _, c := range completed {
				var shows []string
				for _, text := range c.shows {
					if shell.name != "fish" || text != "!note.md" { // it suggests files by itself
						shows = append(shows, strings.ReplaceAll(text, "ID", id))
					}
				}
				s.expect(s.completes(strings.ReplaceAll(c.typed, "ID", id), shows), shows...)
			}
		})
	}
}

// project writes two handoffs and returns the digits of the id of the first.
func (p person) project() string {
	for _, write := range []string{
		"mkdir there; touch there/.handoff.yaml; (echo '# Deploy'; echo ok) >note.md",
		"handoff write note.md --quiet --from ann --to ben --topic deploy --tag ci --ts 2026-05-07T12:00:00Z",
		"handoff write note.md --quiet --from ann --to cy --topic review --ts 2026-05-08T12:00:00Z",
		"handoff write note.md --quiet --root there --from dan --to eve",
	} {
		cmd := exec.Command("sh", "-c", write)
		cmd.Dir, cmd.Env = p.root, p.env
		if out, err := cmd.CombinedOutput(); err != nil {
			p.Fatalf("%s: %v\n%s", write, err, out)
		}
	}
	cmd := exec.Command(filepath.Join(p.bin, "handoff"), "list", "--topic", "deploy", "--format", "ids")
	cmd.Dir, cmd.Env = p.root, p.env
	out, err := cmd.Output()
	if err != nil || len(out) < 20 {
		p.Fatal(err, out)
	}
	return string(out[len("sha256:"):][:8])
}

// A shellSession is a shell on a terminal, that says when it is ready.
type shellSession struct {
	person
	*os.File
	shown chan string
	raw   string // what was shown since it was ready
	lines int
}

func (p person) shell(start, begin string) *shellSession {
	p.Helper()
	cmd := exec.Command("sh", "-c", "exec "+start)
	cmd.Dir, cmd.Env = p.root, append(p.env, "PS1=ready> ", "LC_ALL=C.UTF-8")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 100, Cols: 160})
	if err != nil {
		p.Skipf("no pseudo-terminal: %v", err)
	}
	p.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	s := &shellSession{person: p, File: terminal, shown: make(chan string)}
	go func() {
		defer close(s.shown)
		piece := make([]byte, 4096)
		for {
			n, err := terminal.Read(piece)
			if s.shown <- string(piece[:n]); err != nil {
				return
			}
		}
	}()
	s.types(begin + "\r")
	s.clear()
	return s
}

func (s *shellSession) types(text string) {
	s.Helper()
	if _, err := io.WriteString(s.File, text); err != nil {
		s.Fatal(err)
	}
}

// clear takes back what is typed, and returns what was shown until the shell was ready again.
func (s *shellSession) clear() string {
	s.Helper()
	s.lines++
	s.types(fmt.Sprintf("\x15echo done''-%d\r", s.lines))
	screen, all := s.until(fmt.Sprintf("done-%d", s.lines), "ready> ")
	if !all {
		s.Fatalf("the shell is not ready again:\n%s", screen)
	}
	s.raw = ""
	return screen
}

// completes types a line with tabs, and returns what is shown once all that is expected was.
func (s *shellSession) completes(typed string, shows []string) string {
	s.Helper()
	s.types(typed)
	for _, text := range shows {
		if !strings.HasPrefix(text, "!") {
			if _, all := s.until(text); !all {
				break
			}
		}
	}
	return s.clear()
}

// controls are what a terminal obeys and does not show.
var controls = regexp.MustCompile("\x1b(\\[[0-9;?>=]*[a-zA-Z]|[()][A-Z0-9]|[=>]|\\][^\a\x1b]*(\a|\x1b\\\\))|[\a\r]|.\b")

// until waits until the shell has shown all of the texts, in their order, and returns what it has shown.
func (s *shellSession) until(texts ...string) (screen string, all bool) {
	s.Helper()
	var late <-chan time.Time // shortly before go test gives up, while what was shown can still be said
	if end, ok := s.Deadline(); ok {
		late = time.After(time.Until(end) - 5*time.Second)
	}
	for {
		screen = controls.ReplaceAllString(s.raw, "")
		if inOrder(screen, texts) {
			return screen, true
		}
		select {
		case more, open := <-s.shown:
			if s.raw += more; !open {
				s.Fatalf("the shell has gone:\n%s", screen)
			}
		case <-late:
			return screen, false
		}
	}
}

func inOrder(screen string, texts []string) bool {
	for _, text := range texts {
		_, after, found := strings.Cut(screen, text)
		if !found {
			return false
		}
		screen = after
	}
	return true
}
