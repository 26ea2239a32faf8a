package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A store that is held opens a directory once. A session never works in one that was replaced meanwhile, and what one
// reader closes stays open for others.
func TestHold(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := at(root)
	put(t, root, "handoffs/INDEX.md", "first")
	release := s.Hold()
	text := func(d *disk.Dir) string {
		t.Helper()
		got, err := d.ReadFile("INDEX.md", 100)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	open := func(s *store.Store) *disk.Dir {
		t.Helper()
		d, err := s.OpenToRead(s.Opt.Dir)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	kept, closed := open(s), open(s)
	for range 3 {
		closed.Close()
	}
	if err := os.Rename(filepath.Join(root, "handoffs"), filepath.Join(root, "old")); err != nil {
		t.Fatal(err)
	}
	put(t, root, "handoffs/INDEX.md", "second")
	again := open(s)
	if got := text(kept) + " " + text(again); got != "first first" {
		t.Errorf("while it is held: %q", got)
	}
	fresh, err := s.OpenPlace(s.Opt.Dir)
	if err != nil {
		t.Fatal(err)
	}
	s.Refresh()
	later := open(s)
	if got := text(fresh) + " " + text(later) + " " + text(kept); got != "second second first" {
		t.Errorf("after Refresh: %q", got)
	}
	release()
	if got := text(open(s)) + " " + text(later); got != "second second" {
		t.Errorf("after the release: %q", got)
	}
	for _, d := range []*disk.Dir{kept, again, fresh, later} {
		d.Close()
	}
	if _, err := later.ReadFile("INDEX.md", 100); err == nil {
		t.Error("it can be read although everybody has closed it")
	}
}
