package handoff_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// smallStore has three handoffs, an archive, and marks in both index files.
func smallStore(t *testing.T) (root string, s *handoff.Store) {
	t.Helper()
	root = t.TempDir()
	s = open(t, root, func(o *handoff.Options) { o.IndexMaxRows = 2 })
	for _, topic := range []string{"t0", "t1", "t2"} {
		mustWrite(t, s, source(topic, "body of "+topic+"\n"))
	}
	entries, err := s.List(handoff.Filter{})
	if err != nil || len(entries) != 3 {
		t.Fatal(entries, err)
	}
	if _, err := s.MarkRead(t.Context(), "ben", entries[0].ID, entries[2].ID); err != nil {
		t.Fatal(err)
	}
	return root, s
}

func path(root, name string) string {
	if strings.HasPrefix(name, "handoff-events") || strings.HasPrefix(name, "machine") || strings.HasPrefix(name, "consumed") || name == "journal" {
		return filepath.Join(root, ".run", name)
	}
	return filepath.Join(root, "handoffs", name)
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func mustPut(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// contents returns every file below root, by path.
func contents(t *testing.T, root string) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, serr := d.Info(); serr == nil && info.Size() > 1<<30 {
				all[path] = fmt.Append(nil, info.Size())
				return nil
			}
			all[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	return all
}

// forgetNewest removes the number of the newest change from the user's state, as a power cut may, so that an older
// store is no fault.
func forgetNewest(t *testing.T, s *handoff.Store) {
	t.Helper()
	path, err := handoff.OutsidePath(s)
	if err == nil {
		err = os.Remove(filepath.Join(path, "newest"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// restore makes root hold the files and no others.
func restore(t *testing.T, root string, files map[string][]byte) {
	t.Helper()
	for path := range contents(t, root) {
		if _, ok := files[path]; !ok {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, text := range files {
		mustPut(t, path, text)
	}
}

// mend repairs, after a regenerate if the store no longer knows its machine or its newest change, and expects no
// faults.
func mend(t *testing.T, s *handoff.Store) {
	t.Helper()
	_, err := s.Maintenance().Repair(t.Context())
	refused := (*handoff.MachineError)(nil)
	if errors.As(err, &refused) || isOlder(err) {
		if _, err := s.Maintenance().Regenerate(t.Context(), "ann", "the record is damaged"); err != nil {
			t.Fatal(err)
		}
		_, err = s.Maintenance().Repair(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Verify(t.Context()); err != nil || len(r.Faults) > 0 {
		t.Fatalf("after the repair: %v, %v", r.Faults, err)
	}
}

// good returns the text of every handoff that reads as written, by id, and its readers.
func good(t *testing.T, s *handoff.Store) (texts map[string]string, readers map[string][]string) {
	t.Helper()
	texts, readers = make(map[string]string), make(map[string][]string)
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		return texts, readers
	}
	for _, e := range entries {
		if got, err := s.Read(e.ID); err == nil {
			texts[e.ID] = got.Body
			for _, m := range e.Marks() {
				readers[e.ID] = append(readers[e.ID], m.Operator)
			}
		}
	}
	return texts, readers
}

// keepsAll expects that all handoffs but those of the file are as they were, and that the content of the
// file is still somewhere.
func keepsAll(t *testing.T, s *handoff.Store, root string, before map[string]string, readers map[string][]string, damaged string, bytesOf []byte) {
	t.Helper()
	texts, marks := good(t, s)
	lost := 0
	for id, text := range before {
		if texts[id] != text {
			lost++
			continue
		}
		for _, operator := range readers[id] {
			if !slices.Contains(marks[id], operator) {
				t.Fatalf("%s is no longer marked by %s", id, operator)
			}
		}
	}
	if isBody := strings.HasPrefix(damaged, "2026-"); lost > 1 || (lost == 1 && !isBody) {
		t.Fatalf("%d handoffs are lost", lost)
	}
	var all []byte
	for _, text := range contents(t, root) {
		if bytes.Equal(text, bytesOf) {
			return
		}
		all = append(all, text...)
	}
	if damaged == "INDEX.md" { // each line is kept, if not the text
		for line := range bytes.Lines(bytesOf) {
			if !bytes.Contains(all, line) {
				t.Fatalf("the line %q is nowhere", line)
			}
		}
		return
	}
	if damaged != "machine-fingerprint" && damaged != "journal" && !strings.HasPrefix(damaged, "handoff-events") {
		t.Fatalf("what was there in %s is nowhere", damaged)
	}
}

// A store with one flipped bit is mended: no fault is left, nothing that was good is lost, and what was
// replaced is still beside, or the file is as it was.
func TestRepairMendsEveryFlip(t *testing.T) {
	t.Parallel()
	root, s := smallStore(t)
	files := contents(t, root)
	texts, readers := good(t, s)
	step := 151
	if os.Getenv("HANDOFF_FAULTS") == "all" {
		step = 7
	}
	first := rand.IntN(step) // other bytes each time
	n := first
	for _, file := range slices.Sorted(maps.Keys(files)) {
		text, name := files[file], filepath.Base(file)
		if name == ".gitignore" || name == ".INDEX.md.lock" {
			continue
		}
		for i := n % step; i < len(text); i += step {
			n++
			if name == "journal" && (text[i] == 0 || n%5 != 0) {
				continue // most of it is room
			}
			flipped := bytes.Clone(text)
			flipped[i] ^= []byte{1, 0x20, 4, 0x80}[n%4]
			mustPut(t, file, flipped)
			mend(t, s)
			kept := flipped
			if bytes.Equal(contents(t, root)[file], text) { // the journal had it
				kept = text
			}
			keepsAll(t, s, root, texts, readers, name, kept)
			if t.Failed() {
				t.Fatalf("%s: byte %d of %d, %q for %q", name, i, len(text), flipped[i], text[i])
			}
			restore(t, root, files)
			forgetNewest(t, s)
		}
	}
	if n -= first; n < 40 {
		t.Errorf("only %d flips", n)
	}
}

// A stopping context ends after it was asked a number of times.
type stopping struct {
	context.Context
	left int
}

func (c *stopping) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A repair that was interrupted, wherever, is completed by the next one.
func TestRepairAfterAnInterruption(t *testing.T) {
	t.Parallel()
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			root, s := smallStore(t)
			d.do(t, root)
			damaged := contents(t, root)
			texts, readers := good(t, s)
			for steps := range 8 {
				if _, err := s.Maintenance().Repair(&stopping{t.Context(), steps}); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatalf("interrupted after %d: %v", steps, err)
				}
				mend(t, s)
				after, marks := good(t, s)
				for id, text := range texts {
					if after[id] != text || len(marks[id]) < len(readers[id]) {
						t.Errorf("interrupted after %d: %s is %q, read by %v", steps, id, after[id], marks[id])
					}
				}
				if strings.Contains(d.name, "link") {
					break // the files cannot be put back as they were
				}
				restore(t, root, damaged)
				forgetNewest(t, s)
			}
		})
	}
}
