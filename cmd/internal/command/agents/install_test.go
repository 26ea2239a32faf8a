package agents

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// What is registered is handoff beside the program, if it is there, and nothing that is soon gone.
func TestRegistered(t *testing.T) {
	dir := t.TempDir()
	self, program := filepath.Join(dir, "handoff-full"), filepath.Join(dir, "handoff")
	a := &cli.App{Env: cli.Env{Executable: func() (string, error) { return self, nil }}}
	if got, err := registered(a); cli.ExitOf(err).Code != 7 {
		t.Errorf("alone: %s, %v", got, err)
	}
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := registered(a); err != nil || got != program {
		t.Errorf("beside handoff: %s, %v", got, err)
	}
	built := filepath.Join(dir, "go-build123")
	if err := os.Mkdir(built, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(built, "handoff"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	self = filepath.Join(built, "handoff-full")
	if got, err := registered(a); cli.ExitOf(err).Code != 7 {
		t.Errorf("go run: %s, %v", got, err)
	}
}
