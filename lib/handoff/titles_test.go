package handoff_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A title that is not that of the proven document is never shown.
func TestTitlesAreProven(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := open(t, root, nil)
	for n := range 9 {
		doc := fmt.Sprintf("---\nschema_version: \"1.0\"\nfrom: ann\nto: ben\ntopic: t-%d\nts_utc: %q\ntags:\n  - one\n  - two\n---\n"+
			"# The title %[1]d\n", n, "2026-05-08T08:00:00Z")
		if _, err := s.Write(t.Context(), []byte(doc)); err != nil {
			t.Fatal(err)
		}
	}
	list := func() (all []handoff.Entry) {
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
	replace(t, file, "The title", "An edited")
	if l := list()[1]; l.Title != "t-1" {
		t.Errorf("the title of an edited document is %q", l.Title)
	}
}
