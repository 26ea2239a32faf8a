package life

import (
	"bytes"
	"runtime"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

const (
	idDigits, hashDigits = 32, 16
	lineLen              = idDigits + 1 + hashDigits + 1
	subjectsWorthKeeping = 64 // documents: fewer are read anew in less time than it takes to store what they say
)

var nothing = strings.Repeat("-", hashDigits)

// A Subject is what documents are asked for.
type Subject struct {
	File string                         // the cache of the answers
	Mark string                         // a document without it says nothing
	Says func(document.Document) string // "" is nothing
}

// A Table is what the documents of a store say of one thing.
type Table struct {
	about Subject
	rows  *store.Lookup
	lines []byte
	by    map[string][]string // hash → beginnings of ids, once it was asked for twice
	asked bool
}

// Read returns what the listed documents say, as far as they can be read and proven. With keep, which is for
// who has changed the store, what was not known before is kept for the next time where that is possible at
// once.
func ReadSubjects(s *store.Store, about Subject, keep bool) (*Table, error) {
	t := &Table{about: about, rows: &store.Lookup{Store: s}, lines: s.Cached(about.File)}
	d, err := s.Reader()
	if err != nil || d == nil {
		return t, err
	}
	defer d.Close()
	rows, _, err := s.Scan(d, store.Choice{Is: func(index.Row) bool { return true }, IsNot: t.isKnown()})
	if err != nil {
		return nil, err
	}
	learnt := make([]string, len(rows))
	parallel.Each(len(rows), 2*runtime.GOMAXPROCS(0), func(i int) { learnt[i] = about.line(s, d, rows[i], keep) })
	more := strings.Join(learnt, "")
	t.lines = append(t.lines, more...)
	if keep && len(more) >= subjectsWorthKeeping*lineLen {
		s.Cache(about.File, t.lines)
	}
	return t, nil
}

// isKnown tells from a line of the index that it is of a handoff which the table has.
func (t *Table) isKnown() func(line []byte) bool {
	known := make(map[string]bool, len(t.lines)/lineLen)
	for line := range t.each() {
		known[store.AsString(line[:idDigits])] = true
	}
	return func(line []byte) bool {
		id := index.RowID(line)
		return id != nil && known[store.AsString(id[len(form.IDPrefix):][:idDigits])]
	}
}

// line returns the line of a handoff, "" if it cannot be proven what it says. What is not to be kept
// is not worth a proof that it says nothing.
func (about Subject) line(s *store.Store, d *disk.Dir, row index.Row, isKept bool) string {
	text, err := d.ReadFile(row.File, disk.MaxDocument)
	if err != nil || !isKept && !bytes.Contains(text, []byte(about.Mark)) {
		return ""
	}
	doc, err := s.ParseListed(row, text, nil)
	if err != nil {
		return ""
	}
	hash := nothing
	if said := about.Says(doc); said != "" {
		hash = hashOf(said)
	}
	return row.ID[len(form.IDPrefix):][:idDigits] + " " + hash + "\n"
}

func hashOf(said string) string { return jsontree.SHA256Hex([]byte(said))[:hashDigits] }

// Saying returns the rows of the handoffs that say something. Their documents were proven once, and
// are not read again: they may be gone or changed since.
func (t *Table) Saying(what string) (rows []index.Row, err error) {
	for _, digits := range t.candidates(hashOf(what)) {
		row, found, err := t.rows.Row(form.IDPrefix + digits)
		if err != nil {
			return rows, err
		}
		if found {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// candidates returns the beginnings of the ids of the handoffs that say what has a hash. The first
// time it goes through the lines, later it uses an index, which costs as much as many searches.
func (t *Table) candidates(hash string) (ids []string) {
	if t.by != nil {
		return t.by[hash]
	}
	if !t.asked {
		t.asked = true
		for line := range t.each() {
			if string(line[idDigits+1:lineLen-1]) == hash {
				ids = append(ids, string(line[:idDigits]))
			}
		}
		return ids
	}
	t.by = make(map[string][]string)
	for line := range t.each() {
		if said := string(line[idDigits+1 : lineLen-1]); said != nothing {
			t.by[said] = append(t.by[said], string(line[:idDigits]))
		}
	}
	return t.by[hash]
}

func (t *Table) each() func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for at := 0; at+lineLen <= len(t.lines); at += lineLen {
			if !yield(t.lines[at : at+lineLen]) {
				return
			}
		}
	}
}
