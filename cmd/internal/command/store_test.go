package command

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A finding and its remedy are one line, whatever a file is called.
func TestWithRemedy(t *testing.T) {
	t.Parallel()
	got := withRemedy(handoff.Finding{Place: "a\n.md", Problem: "is gone", Remedy: "restore it"})
	if want := "a\\n.md: is gone; restore it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
