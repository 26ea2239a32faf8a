package store

import (
	"errors"
	"os"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A finding is one line, and its remedy another one, whatever a file is called.
func TestWithRemedy(t *testing.T) {
	t.Parallel()
	got := withRemedy(handoff.Finding{Place: "a\n.md", Problem: "is gone", Remedy: "restore it"})
	if want := "a\\n.md: is gone\n  to fix it: restore it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Only an integrity error means that the log lacks the head. Any other error says nothing about the log.
func TestNotContained(t *testing.T) {
	t.Parallel()
	if err := notContained("3:ab", os.ErrPermission); err != os.ErrPermission {
		t.Error(err)
	}
	if err := notContained("3:ab", fault.Integrity("", "it has 2 events")); !errors.Is(err,
		handoff.ErrIntegrity) || err.Error() != "the audit log does not contain 3:ab: it has 2 events" {
		t.Error(err)
	}
}
