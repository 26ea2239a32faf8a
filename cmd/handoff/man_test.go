package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/full"
)

// TestManPages generates the man pages and compares them with those in testdata/man, which packagers
// install; with -update it writes them.
func TestManPages(t *testing.T) {
	const golden = "../../testdata/man"
	root := cli.Root(full.Program())
	pages := full.ManPages()
	if len(pages) < len(root.Commands()) {
		t.Fatalf("%d pages", len(pages))
	}
	if *update {
		if err := os.RemoveAll(golden); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(golden, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			if err := os.WriteFile(filepath.Join(golden, page.Name), page.Text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	have, _ := filepath.Glob(filepath.Join(golden, "*.1"))
	if len(have) != len(pages) {
		t.Errorf("testdata/man has %d pages, the program has %d; run with -update", len(have), len(pages))
	}
	for _, page := range pages {
		want, err := os.ReadFile(filepath.Join(golden, page.Name))
		if err != nil || !bytes.Equal(page.Text, want) {
			t.Errorf("%s differs from the program's help (%v); run with -update", page.Name, err)
		}
	}
}

// TestManPagesAreRead has groff read each page without a warning, and finds the words of the help in what it shows.
func TestManPagesAreRead(t *testing.T) {
	t.Parallel()
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is missing")
	}
	for _, page := range full.ManPages() {
		cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-k", "-rLL=100n", "-P-cbou")
		cmd.Stdin = bytes.NewReader(page.Text)
		var warnings strings.Builder
		cmd.Stderr = &warnings
		out, err := cmd.Output()
		if err != nil || warnings.Len() > 0 {
			t.Errorf("%s: %v %s", page.Name, err, &warnings)
		}
		for _, word := range []string{"NAME", "SYNOPSIS", "DESCRIPTION"} {
			if !bytes.Contains(out, []byte(word)) {
				t.Errorf("%s does not show %s", page.Name, word)
			}
		}
	}
}
