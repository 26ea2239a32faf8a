package command_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A person is somebody at a clone, who runs the program.
type person struct {
	*testing.T
	dir string
}

// runs runs a command line, and checks its exit code and that its output has the words.
func (p person) runs(code int, stdin, line string, words ...string) (stdout string) {
	p.Helper()
	var out, err bytes.Buffer
	env := map[string]string{"HOME": p.dir, "XDG_STATE_HOME": filepath.Join(p.dir, "state")}
	got := cli.Run(cli.Env{Args: strings.Fields(line), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err,
		Getenv: func(name string) string { return env[name] }, Getwd: func() (string, error) { return p.dir, nil },
		Executable: func() (string, error) { return "", errors.New("no path") },
		Options: func(o *handoff.Options) {
			o.Fingerprint = func() (string, error) { return strings.Repeat("0", 64), nil }
		}}, command.Program())
	if got != code {
		p.Fatalf("handoff %s: exit code %d, want %d\n%s%s", line, got, code, &out, &err)
	}
	for _, word := range words {
		if !strings.Contains(out.String()+err.String(), word) {
			p.Errorf("handoff %s does not say %q:\n%s%s", line, word, &out, &err)
		}
	}
	return out.String()
}

// The groups of commands work together without any other process: a handoff is written, listed, taken and finished.
func TestHandoffFromHandToHand(t *testing.T) {
	t.Parallel()
	ann := person{t, t.TempDir()}
	ann.runs(0, "", "init --operator ann --git none", "you are ann in this clone")
	ann.runs(0, "", "whoami", "ann")
	ann.runs(0, "# Green\n\nAll tests pass.\n", "write - --to ben", `"status":"created"`)
	id := strings.TrimSpace(ann.runs(0, "", "list --unread --format ids", "sha256:"))
	ann.runs(0, "", "list --to ben --json", `"title":"Green"`, `"state":"unread"`)
	ann.runs(0, "", "search tests", "All tests pass.")
	ann.runs(0, "", "read "+id, "All tests pass.")
	ann.runs(0, "", "next --operator ben", id)
	ann.runs(0, "", "take --operator ben", `"status":"changed"`, `"operator":"ben"`)
	ann.runs(11, "", "take "+id+" --operator cy", "ben took ")
	ann.runs(0, "", "status --operator ben", "Taken by you: 1")
	ann.runs(0, "", "done @ --operator ben --note merged", `"act":"done"`)
	ann.runs(0, "", "list --json --all", `"state":"done"`)
	ann.runs(0, "", "status", "merged")
	ann.runs(0, "", "archive "+id, `"act":"archive"`)
}

// Each class of error has its exit code.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	ann := person{t, t.TempDir()}
	ann.runs(2, "", "list", "no project")
	ann.runs(0, "", "init --operator ann --git none")
	ann.runs(2, "", "read dead", "no handoff id starts with \"dead\"")
	ann.runs(2, "", "lst", "did you mean `handoff list`?")
	ann.runs(2, "", "list --mine --to ben", "conflicts")
	ann.runs(2, "", "archive", "missing ID")
	ann.runs(2, "", "operators validate", "OPERATORS.md")
}
