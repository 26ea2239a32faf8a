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
	subjectsWorthKeeping = 64 // documents: reading fewer again is faster than storing the results
)

var nothing = strings.Repeat("-", hashDigits)

// A Subject is one property of documents, such as a resume token.
type Subject struct {
	File string                         // the cache of the answers
	Mark string                         // a text that every document with the property contains
	Says func(document.Document) string // returns the property of a document; "" means none
}

// A Table holds one property of the documents of a store.
type Table struct {
	about Subject
	rows  *store.Lookup
	lines []byte
	by    map[string][]string // hash → beginnings of ids; nil until the second search
	asked bool
}

// ReadSubjects reads a property of all listed documents that are readable and proven. If keep is set, it
// stores new results in the cache, best effort. Set keep after a change of the store.
func ReadSubjects(s *store.Store, about Subject, keep bool) (*Table, error) {
	t := &Table{about: about, rows: &store.Lookup{Store: s}, lines: s.Cached(about.File)}
	d, err := s.Reader()
	if err != nil || d == nil {
		return t, err
	}
	defer d.Close()
	rows, _, err := s.Scan(d, store.Choice{Is: t.isNew()})
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

// isNew returns a function that reports whether a row is not of a handoff in the table.
func (t *Table) isNew() func(index.Row) bool {
	known := make(map[string]bool, len(t.lines)/lineLen)
	for line := range t.each() {
		known[store.AsString(line[:idDigits])] = true
	}
	return func(row index.Row) bool { return !known[row.ID[len(form.IDPrefix):][:idDigits]] }
}

// line returns the line of a handoff, or "" if its document is unproven. If isKept is not set, it skips
// documents without Mark, since their line would not be stored.
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
	if value := about.Says(doc); value != "" {
		hash = hashOf(value)
	}
	return row.ID[len(form.IDPrefix):][:idDigits] + " " + hash + "\n"
}

func hashOf(value string) string { return jsontree.SHA256Hex([]byte(value))[:hashDigits] }

// Find returns the rows of the handoffs with the property value what. Their documents were proven once and
// are not read again, so they may be missing or changed since.
func (t *Table) Find(what string) (rows []index.Row, err error) {
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

// candidates returns the beginnings of the ids whose property has the hash. The first call scans the lines.
// Later ones use an index, which costs as much as many scans.
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
		if value := string(line[idDigits+1 : lineLen-1]); value != nothing {
			t.by[value] = append(t.by[value], string(line[:idDigits]))
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
