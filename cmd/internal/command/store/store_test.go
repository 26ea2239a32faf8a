package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/lib/bundle"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func TestCountText(t *testing.T) {
	t.Parallel()
	for want, counts := range map[string]bundle.Counts{
		"0 handoffs":              {},
		"1 handoff, 2 read marks": {Handoffs: 1, Marks: 2},
		"3 handoffs, 1 new signature, 1 consumed token": {Handoffs: 3, Signed: 1, Tokens: 1},
	} {
		if got := countText(counts); got != want {
			t.Errorf("%+v: %q, want %q", counts, got, want)
		}
	}
}

// A finding is one line, and its remedy another one, whatever a file is called.
func TestWithRemedy(t *testing.T) {
	t.Parallel()
	got := withRemedy(handoff.Finding{Place: "a\n.md", Problem: "is gone", Remedy: "restore it"})
	if want := "a\\n.md: is gone\n  to fix it: restore it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A file of allowed signers without a key would allow nobody: that is a mistake, and no verdict about the log.
func TestReadSigners(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "signers")
	for text, good := range map[string]bool{"": false, "ann@example.org\n": false,
		"ann@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI\n": true} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readSigners(path)
		if good != (err == nil) || good && string(got) != text || err != nil && !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, wrong := range []string{filepath.Dir(path), path + "-none"} {
		if _, err := readSigners(wrong); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// Only an integrity error means that the log lacks the head. Any other error says nothing about the log.
func TestNotContained(t *testing.T) {
	t.Parallel()
	if err := notContained("3:ab", os.ErrPermission); err != os.ErrPermission {
		t.Error(err)
	}
	if err := notContained("3:ab", fault.New(fault.ErrIntegrity, "", "it has 2 events")); !errors.Is(err,
		handoff.ErrIntegrity) || err.Error() != "the audit log does not contain 3:ab: it has 2 events" {
		t.Error(err)
	}
}
