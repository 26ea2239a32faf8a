package handoff_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Rows of the same id, wherever they stand, count once: the first stands, and what was read anywhere is read.
func TestListJoinsDuplicates(t *testing.T) {
	root := t.TempDir()
	s := open(t, root, nil)
	for _, topic := range []string{"a", "b", "c"} {
		mustWrite(t, s, source(topic, "body"))
	}
	path := filepath.Join(root, "handoffs", "INDEX.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	row := lines[len(lines)-3] // b
	read := strings.Replace(row, "|  |", "| ben:2026-05-08T09:00:00Z |", 1)
	archive := strings.Join(lines[:4], "") + read
	topics := func(f handoff.Filter) string {
		entries, err := s.List(f)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, e := range entries {
			all = append(all, e.Topic)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	tests := []struct{ name, index, archive string }{
		{"read in an archive", string(text), archive},
		{"read below", string(text) + read, ""},
		{"read above", strings.Replace(string(text), row, read+row, 1), ""},
	}
	for _, test := range tests {
		os.Remove(filepath.Join(root, "handoffs", "INDEX-0001.md"))
		if err := os.WriteFile(path, []byte(test.index), 0o644); err != nil {
			t.Fatal(err)
		}
		if test.archive != "" {
			if err := os.WriteFile(filepath.Join(root, "handoffs", "INDEX-0001.md"), []byte(test.archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []struct {
			f      handoff.Filter
			topics string
		}{
			{handoff.Filter{}, "a b c"}, {handoff.Filter{To: "ben"}, "a b c"}, {handoff.Filter{Unread: true}, "a c"},
			{handoff.Filter{To: "ben", Unread: true}, "a c"}, {handoff.Filter{To: "cy", Unread: true}, ""}, {handoff.Filter{Topic: "b"}, "b"},
		} {
			if got := topics(want.f); got != want.topics {
				t.Errorf("%s: List(%+v) has %q, want %q", test.name, want.f, got, want.topics)
			}
		}
	}
}
