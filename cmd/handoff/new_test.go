//go:build unix

package main

import (
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// On a terminal, new asks for what a record needs and the flags do not say.
func TestNewAsks(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+"/", ".", "../handoff-full").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(dir, "handoff")
	cmd := exec.Command(program, "new", "--root", root, "--kind", "packet", "--from", "ann", "--objective", "Warm the cache of the new runner")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer terminal.Close()
	answers := "ben\ncache\nSet up the runner\nMoved the secrets\n\nThe cache is cold\n\nThe old runner stays\n\nA slow first build\n\nBuild main once with the cache on\n"
	if _, err := io.WriteString(terminal, answers); err != nil {
		t.Fatal(err)
	}
	shown, _ := io.ReadAll(terminal) // fails when the program has gone
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	for _, question := range []string{"to: who takes over", "topic: ", "completed: ", "unresolved: ", "assumption: ", "risk: ", "next-action: "} {
		if !strings.Contains(string(shown), question) {
			t.Errorf("nothing asks %q:\n%s", question, shown)
		}
	}
	if strings.Contains(string(shown), "objective: ") {
		t.Errorf("what was said is asked again:\n%s", shown)
	}
	if out, err := exec.Command(program, "search", "--root", root, "Moved the secrets").CombinedOutput(); err != nil || !strings.Contains(string(out), "cache") {
		t.Errorf("%v: %s", err, out)
	}

	// A universal handoff of which all is said is made without a question: its topic is its workflow.
	terminal, err = pty.Start(exec.Command(program, "new", "--root", root, "--kind", "universal", "--from", "reader", "--to", "writer", "--workflow", "wf-1", "--phase", "p", "--summary", "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if _, err := io.WriteString(terminal, "\x04"); err != nil {
		t.Fatal(err)
	}
	if shown, _ := io.ReadAll(terminal); !strings.Contains(string(shown), "reader-writer-wf-1.md") || strings.Contains(string(shown), "> ") {
		t.Errorf("something is asked:\n%s", shown)
	}
}
