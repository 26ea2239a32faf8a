package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A reader that leaves early does not change the exit code, and is no error.
func TestReaderLeaves(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, handoff.SettingsName), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	start := func(stdout io.Writer, line string) (code int, stderr string) {
		var said strings.Builder
		code = cli.Run(cli.Env{Args: strings.Fields(line), Stdin: strings.NewReader("body\n"), Stdout: stdout, Stderr: &said,
			Getenv: func(string) string { return "" }, Getwd: func() (string, error) { return root, nil }}, command.Program())
		return code, said.String()
	}
	must := func(line string) {
		if code, said := start(io.Discard, line); code != 0 {
			t.Fatalf("%s: exit code %d: %s", line, code, said)
		}
	}
	must("write - --from ann --to ben --topic a --ts 2026-05-07T12:00:00Z")
	check := func(line string, want int) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		r.Close()
		code, said := start(w, line)
		if code != want || strings.Contains(said, "pipe") {
			t.Errorf("%s: exit code %d, want %d: %s", line, code, want, said)
		}
	}
	for _, line := range []string{"list", "surface ben", "verify --json", "doctor --json", "--help", "hook session-start --operator ben"} {
		check(line, 0)
	}
	if log, err := os.ReadFile(filepath.Join(root, ".run", "handoff-events.jsonl")); err != nil || strings.Contains(string(log), "handoff.surface") {
		t.Errorf("what nobody saw is recorded as shown: %s, %v", log, err)
	}
	changed := []byte("body A\n")
	if err := os.WriteFile(filepath.Join(root, "handoffs", "2026-05-07-ann-ben-a.md"), changed, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"verify --json", "doctor", "doctor --json", "verify --log --json"} {
		check(line, 6)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no full device: %v", err)
	}
	defer full.Close()
	if code, said := start(full, "list"); code != 1 {
		t.Errorf("to a full device: exit code %d: %s", code, said)
	}
}
