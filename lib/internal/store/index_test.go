package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// StillReads notices any change of an index file, however the pieces are cut. A missing or empty file has
// nothing that could be overwritten.
func TestStillReads(t *testing.T) {
	text := strings.Repeat("0123456789abcde\n", 4<<10) // four pieces
	for name, c := range map[string]struct {
		now  string
		same bool
	}{
		"same":            {text, true},
		"empty":           {"", true},
		"longer":          {text + "x", false},
		"shorter":         {text[:len(text)-1], false},
		"a piece shorter": {text[:16<<10], false},
		"first byte":      {"x" + text[1:], false},
		"in a piece":      {text[:20<<10] + "x" + text[20<<10+1:], false},
		"at an edge":      {text[:16<<10] + "x" + text[16<<10+1:], false},
		"last byte":       {text[:len(text)-1] + "x", false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "INDEX.md"), []byte(c.now), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := disk.OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		f, same, err := store.StillReads(d, "INDEX.md", []byte(text))
		if f == nil || same != c.same || err != nil {
			t.Fatalf("%s: %v, %v", name, same, err)
		}
		f.Close()
		if f, same, err := store.StillReads(d, "INDEX-2026-01.md", []byte(text)); f != nil || !same || err != nil {
			t.Errorf("%s, a missing file: %v, %v", name, same, err)
		}
		d.Close()
	}
}
