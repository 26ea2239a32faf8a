package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/cmd/internal/whole"
)

// TestManPages generates the man pages and compares them with those in testdata/man, which packagers
// install; with -update it writes them.
func TestManPages(t *testing.T) {
	const golden = "../../testdata/man"
	root := everyday.Root(whole.Program())
	dir := t.TempDir()
	if err := whole.WriteManPages(dir); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < len(root.Commands()) {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	if *update {
		if err := os.RemoveAll(golden); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(golden, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	have, _ := filepath.Glob(filepath.Join(golden, "*.1"))
	if len(have) != len(pages) {
		t.Errorf("testdata/man has %d pages, the program has %d; run with -update", len(have), len(pages))
	}
	for _, page := range pages {
		want, err := os.ReadFile(filepath.Join(golden, filepath.Base(page)))
		got, gotErr := os.ReadFile(page)
		if err != nil || gotErr != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the program's help (%v); run with -update", filepath.Base(page), err)
		}
	}
}
