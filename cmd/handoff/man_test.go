package main

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra/doc"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
)

var manDir = flag.String("man", "", "the `directory` to keep the man pages in")

// TestManPages makes the man page of each command, for packages.
func TestManPages(t *testing.T) {
	dir := cmp.Or(*manDir, t.TempDir())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	header := &doc.GenManHeader{Section: "1", Source: "handoff", Manual: "Handoff Manual"}
	if err := doc.GenManTree(cli.Root(command.Program()), header, dir); err != nil {
		t.Fatal(err)
	}
	if pages, _ := filepath.Glob(filepath.Join(dir, "handoff-*.1")); len(pages) < 30 {
		t.Errorf("%d pages", len(pages))
	}
}
