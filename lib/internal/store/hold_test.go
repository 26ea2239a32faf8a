package store_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A store that is held opens a directory once. A session never works in one that was replaced meanwhile, nor does who
// begins to hold it later, and what one reader closes stays open for others.
func TestHold(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := at(root)
	replaced := 0
	replace := func(with string) {
		t.Helper()
		replaced++
		if err := os.Rename(filepath.Join(root, "handoffs"), filepath.Join(root, strconv.Itoa(replaced))); err != nil {
			t.Fatal(err)
		}
		put(t, root, "handoffs/INDEX.md", with)
	}
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
	replace("second")
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
	replace("third")
	releaseToo := s.Hold()
	other := open(s)
	if got := text(other) + " " + text(later); got != "third second" {
		t.Errorf("for another that holds it: %q", got)
	}
	releaseToo()
	release()
	replace("fourth")
	last := open(s)
	if got := text(last) + " " + text(later); got != "fourth second" {
		t.Errorf("after the release: %q", got)
	}
	for _, d := range []*disk.Dir{kept, again, fresh, later, other, last} {
		d.Close()
	}
	if _, err := later.ReadFile("INDEX.md", 100); err == nil {
		t.Error("it can be read although everybody has closed it")
	}
}
