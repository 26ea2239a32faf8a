package handoff_test

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A listing shows titles that a command which writes has kept. A title that is not the one of the proven document is
// never shown: not after the document, its row or the kept text was changed.
func TestTitlesThatNeedNoDocument(t *testing.T) {
	t.Parallel()
	root, state := t.TempDir(), t.TempDir()
	edit := func(o *handoff.Options) { o.UserState = state }
	s := open(t, root, edit)
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
		s := open(t, root, edit)
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

	kept, _ := filepath.Glob(filepath.Join(state, "*", "titles"))
	if len(kept) != 1 {
		t.Fatalf("titles are kept in %q", kept)
	}
	_, lines, _ := strings.Cut(strings.ReplaceAll(read(kept[0]), "title", "TITLE"), "\n")
	replace(kept[0], fmt.Sprintf("%08x\n%s", crc32.ChecksumIEEE([]byte(lines)), lines))
	all := list()
	if n := strings.Count(fmt.Sprintf("%+v", all), "The TITLE"); n < 50 {
		t.Fatalf("%d of 80 titles are from the kept ones", n)
	}

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
	replace(kept[0], "00000000\n"+lines)
	if l := list()[3]; l.Title != "The title 3" {
		t.Errorf("from damaged titles comes %q", l.Title)
	}
}
