//go:build unix

package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// A value that git takes long to tell, as on a busy machine, is told: without it the next source would say who you are.
func TestConfigOfASlowGit(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nsleep 1\necho ann@example.com\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if email := git.Config(t.TempDir(), "user.email"); email != "ann@example.com" {
		t.Errorf("the email is %q", email)
	}
}
