package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
)

// The path of this program is registered, unless it is soon gone.
func TestRegistered(t *testing.T) {
	self := filepath.Join(t.TempDir(), "handoff")
	a := &cli.App{Env: cli.Env{Executable: func() (string, error) { return self, nil }}}
	if err := os.WriteFile(self, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := registered(a); err != nil || filepath.Base(got) != "handoff" {
		t.Errorf("%s, %v", got, err)
	}
	built := filepath.Join(filepath.Dir(self), "go-build123")
	if err := os.Mkdir(built, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(self, filepath.Join(built, "handoff")); err != nil {
		t.Fatal(err)
	}
	self = filepath.Join(built, "handoff")
	if got, err := registered(a); cli.ExitOf(err).Code != 7 {
		t.Errorf("go run: %s, %v", got, err)
	}
}
