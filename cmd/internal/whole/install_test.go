package whole

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
)

// What is registered is handoff-hook beside the program, the program itself where that is missing, and
// nothing that is soon gone.
func TestHookProgram(t *testing.T) {
	dir := t.TempDir()
	self, hook := filepath.Join(dir, "handoff"), filepath.Join(dir, "handoff-hook")
	a := &app{&everyday.App{Env: everyday.Env{Executable: func() (string, error) { return self, nil }}}}
	if c, err := a.hookProgram(); err != nil || c.Program != self || !c.BuiltIn {
		t.Errorf("alone: %+v, %v", c, err)
	}
	if err := os.WriteFile(hook, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if c, err := a.hookProgram(); err != nil || c.Program != self || !c.BuiltIn {
		t.Errorf("beside a file that cannot be run: %+v, %v", c, err)
	}
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	if c, err := a.hookProgram(); err != nil || c.Program != hook || c.BuiltIn {
		t.Errorf("beside handoff-hook: %+v, %v", c, err)
	}
	self = "/tmp/go-build123/b001/exe/handoff"
	if c, err := a.hookProgram(); everyday.ExitOf(err).Code != 7 {
		t.Errorf("go run: %+v, %v", c, err)
	}
}
