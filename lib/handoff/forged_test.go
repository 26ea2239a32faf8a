package handoff_test

import (
	"context"
	"crypto/sha256"
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
	if _, err := s.Maintenance().Repair(t.Context()); err != nil { // so that the journal does not bring it back
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "handoffs", filepath.Base(lost.Path))); err != nil {
		t.Fatal(err)
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
	text, err := os.ReadFile(filepath.Join(root, "handoffs", filepath.Base(gone.Path)))
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range []handoff.Act{handoff.ActDone, handoff.ActArchive} {
		if _, err := s.Act(t.Context(), act, gone.ID, handoff.Consumption{Operator: "ben"}); err != nil {
			t.Fatal(err)
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(text))
	outcomes, err := s.Prune(t.Context(), "ben", entries[1:], map[string]string{gone.ID: sum}, sum)
	if err != nil || outcomes[0] != nil {
		t.Fatal(outcomes, err)
	}
	load("does not exist", gone.ID+" was pruned")
}
