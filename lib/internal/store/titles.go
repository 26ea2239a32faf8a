package store

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// Titles returns a function that returns the tags and the title of the handoff of a row, as "TAG TAG\tTITLE". They come
// from the proven document, or if many are wanted, from the cache disk.Titles. The cache has them behind a key, a hash
// of the row and of the stamp of the document as they were when it was proven. So a row or a document that was edited
// since has none.
func (s *Store) Titles(d *disk.Dir, wanted int) func(index.Row) (key, text string, err error) {
	known := make(map[string]string)
	if wanted > 16 { // proving fewer is as fast as reading the cache
		for line := range strings.Lines(AsString(s.Cached(disk.Titles))) {
			key, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			known[key] = text
		}
	}
	return func(e index.Row) (key, text string, err error) {
		stamp, _, err := d.Stamp(e.File) // before the document is read, which can change meanwhile
		key = jsontree.SHA256Hex([]byte(strings.Join([]string{e.ID, e.From, e.To, e.Topic, e.Time, stamp}, " ")))
		if text, ok := known[key]; ok && err == nil {
			return key, text, nil
		}
		doc, _, err := s.Load(d, e)
		return key, strings.Join(doc.Tags, " ") + "\t" + document.Title(doc.Body, e.Topic), err
	}
}

const titled = 256 << 10 // bytes of INDEX.md whose titles are cached

// KeepTitles updates the cache of titles for the newest rows of INDEX.md, for commands that only read. It is best
// effort.
func (s *Store) KeepTitles(d *disk.Dir, table []byte) {
	rows := index.FindPrefix(table[max(0, len(table)-titled):], "")
	title, lines := s.Titles(d, len(rows)), make([]string, len(rows))
	parallel.Each(len(rows), parallel.Workers(), func(i int) {
		if key, text, err := title(rows[i]); err == nil {
			lines[i] = key + " " + text + "\n"
		}
	})
	s.Cache(disk.Titles, []byte(strings.Join(lines, "")))
}
