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

// On a terminal, init asks who one is and what git should do. What was left unanswered changes nothing.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	program := filepath.Join(released.in(t), "handoff")
	root, home := t.TempDir(), t.TempDir()
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Skipf("no git: %v %s", err, out)
	}
	ask := func(answers string) (screen string, err error) {
		cmd := exec.Command(program, "init")
		cmd.Dir, cmd.Env = root, []string{"HOME=" + home, "USER=Ann.Example", "PATH=" + os.Getenv("PATH")}
		terminal, err := pty.Start(cmd)
		if err != nil {
			t.Skipf("no pseudo-terminal: %v", err)
		}
		defer terminal.Close()
		if _, err := io.WriteString(terminal, answers); err != nil {
			t.Fatal(err)
		}
		shown, _ := io.ReadAll(terminal) // fails when the program has gone
		return string(shown), cmd.Wait()
	}
	if shown, err := ask("\x04"); err == nil || !strings.Contains(shown, "[ann-example]") || !strings.Contains(shown, "--yes") {
		t.Errorf("%v: %s", err, shown)
	}
	if _, err := os.Stat(filepath.Join(root, ".handoff.yaml")); err == nil {
		t.Error("a form that was left has prepared the project")
	}
	if shown, err := ask("a n n\nann\nboth\ntracked\n"); err != nil || !strings.Contains(shown, "use 1 to 64 ASCII letters") || strings.Count(shown, "[synced]: ") != 2 || !strings.Contains(shown, "you are ann") {
		t.Errorf("%v: %s", err, shown)
	}
	settings, err := os.ReadFile(filepath.Join(root, ".handoff.yaml"))
	if err != nil || !strings.Contains(string(settings), "git: tracked") {
		t.Errorf("%v: %s", err, settings)
	}
	own, _ := filepath.Glob(filepath.Join(home, ".local/state/handoff/*/operator"))
	if len(own) != 1 {
		t.Fatalf("who is asked is kept in %v", own)
	}
	if text, err := os.ReadFile(own[0]); err != nil || string(text) != "ann\n" {
		t.Errorf("%v: %q", err, text)
	}
	if shown, err := ask("\n"); err != nil || strings.Contains(shown, "tracked") && strings.Contains(shown, "What should git do") {
		t.Errorf("%v: %s", err, shown)
	}
}
