package handoff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A title that is not the one of the proven document is never shown: not after the document or its row was changed.
func TestTitlesAreProven(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	for n := range 80 {
		doc := fmt.Sprintf("---\nschema_version: \"1.0\"\nfrom: ann\nto: ben\ntopic: t-%d\nts_utc: %q\ntags:\n  - one\n  - two\n---\n"+
			"# The title %[1]d\n", n, "2026-05-08T08:00:00Z")
		if _, err := s.Write(t.Context(), []byte(doc)); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	replace := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list := func() (all []handoff.Listed) {
		s := open(t, root, nil)
		entries, err := s.List(handoff.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return s.Listed(entries)
	}
	for i, l := range list() {
		if l.Title != fmt.Sprint("The title ", i) || strings.Join(l.Tags, " ") != "one two" {
			t.Fatalf("%s has the title %q and the tags %q", l.Topic, l.Title, l.Tags)
		}
	}

	all := list()
	file := filepath.Join(root, all[1].File)
	replace(file, strings.ReplaceAll(read(file), "The title", "An edited"))
	if l := list()[1]; l.Title != "t-1" {
		t.Errorf("the title of an edited document is %q", l.Title)
	}
	index := filepath.Join(root, "handoffs", "INDEX.md")
	replace(index, strings.Replace(read(index), "| ann | ben | t-2 |", "| eve | ben | t-2 |", 1))
	if l := list()[2]; l.From == "eve" && l.Title != "t-2" {
		t.Errorf("the title of an edited row is %q", l.Title)
	}
}
