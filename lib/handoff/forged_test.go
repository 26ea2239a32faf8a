package handoff_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Rows of files that are not there cost what the index costs to read a few times, not once for each of them.
func TestSurfaceOfForgedRows(t *testing.T) {
	root := t.TempDir()
	s := open(t, root, nil)
	mustWrite(t, s, source("one", "One."))
	path := filepath.Join(root, "handoffs/INDEX.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&rows, "| sha256:%064x | 2026-05-07-ann-ben-x%d.md | ann | ben | x%d | 2026-05-07T12:00:00Z |  |\n", i, i, i)
	}
	if err := os.WriteFile(path, append(text, rows.String()...), 0o644); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var shown strings.Builder
	if err := s.Surface(context.Background(), "ben", handoff.SurfaceOptions{Notes: io.Discard}, func(all handoff.Surfacing) error {
		shown.WriteString(all.String())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	withheld := strings.Count(shown.String(), "[withheld: ")
	if withheld < 100 || !strings.Contains(shown.String(), "more unread") {
		t.Errorf("%d are withheld:\n%.2000s", withheld, &shown)
	}
	if read := (after.TotalAlloc - before.TotalAlloc) / uint64(rows.Len()); read > 45 {
		t.Errorf("it allocates %d times the size of the index", read)
	}
}

// A handoff that was pruned since it was listed is unknown, also where others are missing.
func TestMissingThenPruned(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	lost, gone := mustWrite(t, s, source("lost", "Lost.")), mustWrite(t, s, source("gone", "Gone."))
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Maintenance().Repair(t.Context()); err != nil { // so that the journal does not bring them back
		t.Fatal(err)
	}
	for _, r := range []handoff.Receipt{lost, gone} {
		if err := os.Remove(filepath.Join(root, "handoffs", filepath.Base(r.Path))); err != nil {
			t.Fatal(err)
		}
	}
	load := func(want ...string) {
		t.Helper()
		i := 0
		if err := s.LoadEach(entries, func(_ handoff.Stored, err error) bool {
			if err == nil || !strings.Contains(err.Error(), want[i]) {
				t.Errorf("%s: %v, want %q", entries[i].Topic, err, want[i])
			}
			i++
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	load("does not exist", "does not exist")
	path := filepath.Join(root, "handoffs/INDEX.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, gone.ID) {
			kept.WriteString(line)
		}
	}
	kept.WriteString("Somebody has saved this.\n") // a beginning of the table alone is what a power cut leaves
	if err := os.WriteFile(path+".new", []byte(kept.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	load("does not exist", "no handoff "+gone.ID)
}
