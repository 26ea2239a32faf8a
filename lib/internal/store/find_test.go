package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

func TestFind(t *testing.T) {
	const like = "12345678"
	first, second := rowOf(1, 1, "b", ""), rowOf(2, 2, "b", "")
	first.ID = "sha256:" + like + strings.Repeat("a", 56)
	second.ID = "sha256:" + like + strings.Repeat("b", 56)
	marked := first
	marked.ReadBy = "b:2026-05-08T00:00:00Z"
	d := tables(t, [3][]index.Row{{first}, {second}, {marked}})
	for id, want := range map[string]string{
		first.ID: "t1", first.ID[len("sha256:"):]: "t1", like + "a": "t1", strings.ToUpper(like + "a"): "t1", "sha256:" + like + "b": "t2",
	} {
		if row, err := d.Find(d.Dir, id); row.Topic != want || err != nil {
			t.Errorf("%s is %q, %v", id, row.Topic, err)
		}
	}
	if row, err := d.Find(d.Dir, like+"a"); row.ReadBy != marked.ReadBy || err != nil {
		t.Errorf("a row that stands twice was read by %q, %v", row.ReadBy, err)
	}
	for _, id := range []string{"", like, like[:7], "sha256:", "t1", first.ID + "0", strings.Repeat("0", 64)} {
		if row, err := d.Find(d.Dir, id); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%q is %v, %v", id, row, err)
		}
	}
}

func TestEachIndex(t *testing.T) {
	rows := [3][]index.Row{{rowOf(3, 3, "b", "")}, {rowOf(1, 1, "b", "")}, {rowOf(2, 2, "b", "")}}
	d := tables(t, rows)
	walk := func(until string) (names string, err error) {
		err = store.EachIndex(d.Dir, func(name string, text []byte) error {
			names += name + fmt.Sprint(" ", index.Count(text), " ")
			if name == until {
				return fs.SkipAll
			}
			return nil
		})
		return names, err
	}
	if got, err := walk(""); got != "INDEX.md 1 INDEX-0001.md 1 INDEX-0002.md 1 " || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := walk("INDEX-0001.md"); got != "INDEX.md 1 INDEX-0001.md 1 " || err != nil {
		t.Errorf("as far as it is wanted: %s, %v", got, err)
	}
	put(t, d.Opt.Root, "handoffs/INDEX-0001.md", "")
	if got, err := walk(""); got != "INDEX.md 1 INDEX-0002.md 1 " || !errors.Is(err, fault.ErrIntegrity) {
		t.Errorf("without an archive: %s, %v", got, err)
	}
}

// A file in place of an index takes no more memory than a table may.
func TestReadIndexIsBounded(t *testing.T) {
	d := tables(t, [3][]index.Row{})
	for text, ok := range map[string]bool{"": true, "short\n": true, strings.Repeat("x", disk.MaxLine): true,
		strings.Repeat("x", 2*disk.MaxLine) + "\nshort\n": false, strings.Repeat(strings.Repeat("x", disk.MaxLine-1)+"\n", 3): true} {
		put(t, d.Opt.Root, "handoffs/INDEX.md", text)
		if got, err := store.ReadIndex(d.Dir, disk.IndexFile); (err == nil) != ok || ok && string(got) != text || err != nil && !errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("of %d bytes, which begin with %.10q: %d, %v", len(text), text, len(got), err)
		}
	}
	if err := os.Truncate(filepath.Join(d.Opt.Root, "handoffs/INDEX.md"), disk.MaxIndex+1); err != nil {
		t.Fatal(err)
	}
	if _, err := store.ReadIndex(d.Dir, disk.IndexFile); !errors.Is(err, fault.ErrIntegrity) {
		t.Errorf("one that is too large: %v", err)
	}
	if text, err := store.ReadIndex(d.Dir, "INDEX-0009.md"); text != nil || err != nil {
		t.Errorf("one that is not there: %q, %v", text, err)
	}
}

// Load returns the document of a row, or an error that names the difference.
func TestLoad(t *testing.T) {
	root := t.TempDir()
	doc := document.Document{SchemaVersion: "1.0", From: "a", To: "b", Topic: "t", Time: "2026-05-07T12:00:00Z", Body: "body\n"}
	id, err := document.ID(doc)
	if err != nil {
		t.Fatal(err)
	}
	text := "---\nschema_version: '1.0'\nhandoff_id: '" + id + "'\nfrom: 'a'\nto: 'b'\ntopic: 't'\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody\n"
	good := index.Row{ID: id, File: "2026-05-07-a-b-t.md", From: "a", To: "b", Topic: "t", Time: doc.Time}
	other := good
	other.To = "eve"
	for _, test := range []struct {
		name, text string
		row        index.Row
		want       string
	}{
		{"as written", text, good, ""},
		{"another body", text + "more", good, "was changed after it was stored"},
		{"another row", text, other, "its to is"},
		{"no document", "x", good, "is not a valid handoff"},
		{"nothing", "", good, "does not exist"},
	} {
		if test.text != "" {
			put(t, root, stored, test.text)
		} else {
			put(t, root, "handoffs/other", "")
			test.row.File = "2026-05-07-none.md"
		}
		d := mustOpen(t, at(root))
		got, _, err := d.Load(d.Dir, test.row)
		if test.want == "" && (err != nil || got.Body != doc.Body) || test.want != "" && (!errors.Is(err, fault.ErrIntegrity) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, %v", test.name, got, err)
		}
	}
}

func TestLooksLikeRow(t *testing.T) {
	row := rowOf(1, 1, "b", "").String()
	for line, want := range map[string]bool{
		row: true, "  " + row: true, row[:40]: true, strings.Replace(row, "| a |", "| a b |", 1): true, strings.Replace(row, "sha256:", "sha512:", 1): true,
		"": false, "a note about sha256:" + strings.Repeat("0", 64): false, "| a | b | c | d | e | f | g |": false, "| handoff_id | file | from | to | topic | ts_utc | read_by |": false,
		"|------------|------|------|----|----|--------|---------|": false,
	} {
		if got := store.LooksLikeRow(line); got != want {
			t.Errorf("%q looks like a row: %v", line, got)
		}
	}
}
