package store_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

func withState(root, state string) *store.Store {
	s := at(root)
	s.Opt.UserState = state
	return s
}

// The secret is made once, for all stores of a user, and only by a write.
func TestSecret(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state", "handoff")
	s := withState(t.TempDir(), state)
	if _, err := s.Secret(false); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("read where there is none: %v", err)
	}
	first, err := s.Secret(true)
	if err != nil || len(first) != 32 || bytes.Equal(first, make([]byte, 32)) {
		t.Fatalf("made %x, %v", first, err)
	}
	if again, err := withState(t.TempDir(), state).Secret(true); err != nil || !bytes.Equal(first, again) {
		t.Errorf("another store has %x, %v", again, err)
	}
	file := filepath.Join(state, "secret")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for name, spoil := range map[string]func() error{
		"open to others": func() error { return os.Chmod(file, 0o644) },
		"cut":            func() error { return os.Truncate(file, 31) },
		"too long":       func() error { return os.WriteFile(file, make([]byte, 33), 0o600) },
		"empty":          func() error { return os.Truncate(file, 0) },
		"a directory":    func() error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) },
	} {
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(file, first, 0o600), spoil()); err != nil {
			t.Fatal(err)
		}
		for _, create := range []bool{false, true} {
			if _, err := s.Secret(create); !errors.Is(err, fault.ErrIntegrity) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A directory that a project can bring along is refused for trusted files.
func TestOutside(t *testing.T) {
	root := t.TempDir()
	inside := filepath.Join(root, "state", "handoff")
	plain, err := withState(root, inside).Outside()
	if err != nil {
		t.Fatalf("without git: %v", err)
	}
	plain.Close()
	put(t, root, ".git/HEAD", "ref: refs/heads/main\n")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{"", inside, filepath.Join(link, "state", "handoff"), filepath.Join(root, ".run", "handoff"), filepath.Join(root, "handoffs")} {
		if _, err := withState(root, state).Outside(); !errors.Is(err, fault.ErrConfig) {
			t.Errorf("%q: %v", state, err)
		}
	}
	state := t.TempDir()
	one, err := withState(root, state).OutsidePath()
	if err != nil {
		t.Fatal(err)
	}
	if same, err := withState(filepath.Join(link), state).OutsidePath(); err != nil || same != one {
		t.Errorf("by a link it is %s, %v; want %s", same, err, one)
	}
	if other, err := withState(t.TempDir(), state).OutsidePath(); err != nil || other == one {
		t.Errorf("another store has %s, %v", other, err)
	}
}
