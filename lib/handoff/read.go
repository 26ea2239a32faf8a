package handoff

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"
	"unsafe"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

const minPrefix = 8 // hex digits of an id that Find accepts

// A Stored handoff is a document that was read from the store, and its entry in the index.
type Stored struct {
	Document
	Entry Entry
	Path  string // relative to the project root if inside it
	Text  []byte // the stored bytes
}

// Read returns the handoff with the id, or with the unique prefix of 8 or more hex digits, with or without
// sha256:. It proves that the content is what was written: else the error is ErrIntegrity, and what is
// there is returned with it for a caller who wants to look at it all the same. An id that is not
// known, or a prefix of several, is ErrInvalid.
func (s *Store) Read(id string) (Stored, error) {
	d, err := s.reader()
	if err != nil {
		return Stored{}, err
	}
	if d == nil {
		return Stored{}, unknownID(id, s.opt.Dir)
	}
	defer d.Close()
	e, err := s.find(d, id)
	if err != nil {
		return Stored{}, err
	}
	got := Stored{Entry: e, Path: s.relPath(e.File)}
	got.Document, got.Text, err = s.load(d, e)
	if err != nil {
		_, body, _ := document.Split(got.Text)
		got.Body = string(body)
	}
	return got, err
}

// Find returns the entry of an id or unique prefix, as Read takes it. It does not look at the document.
func (s *Store) Find(id string) (Entry, error) {
	d, err := s.reader()
	if err != nil {
		return Entry{}, err
	}
	if d == nil {
		return Entry{}, unknownID(id, s.opt.Dir)
	}
	defer d.Close()
	return s.find(d, id)
}

func (s *Store) find(d *durable.Dir, id string) (Entry, error) {
	prefix := strings.TrimPrefix(id, "sha256:")
	if len(prefix) < minPrefix || len(prefix) > 64 || !form.IsHex(prefix) {
		return Entry{}, fault.New(ErrInvalid, "give the id as `handoff list` shows it, or at least its first 8 hex digits", "%q is no handoff id", id)
	}
	matches, err := s.matching(d, prefix)
	switch {
	case err != nil:
		return Entry{}, err
	case len(matches) == 0:
		return Entry{}, unknownID(id, s.opt.Dir)
	case len(matches) > 1:
		ids := make([]string, 0, len(matches))
		for _, e := range matches {
			ids = append(ids, e.ID)
		}
		return Entry{}, fault.New(ErrInvalid, "give more digits", "%q is the beginning of %d ids: %s", id, len(ids), strings.Join(ids, ", "))
	}
	return matches[0], nil
}

func unknownID(id, dir string) error {
	return fault.New(ErrInvalid, "run `handoff list` to see the ids", "no handoff %s in %s", id, dir)
}

// matching returns the entries whose id begins with prefix, by a byte search of the index files.
func (s *Store) matching(d *durable.Dir, prefix string) ([]Entry, error) {
	c := newCollector(func(Entry) bool { return true })
	err := eachIndex(d, func(name string, text []byte) error {
		if name == index.Name && index.ListsNothing(text) && s.isIndexLost(d) {
			return errIndexMissing
		}
		for _, row := range index.FindPrefix(text, prefix) {
			c.row(row)
		}
		if len(prefix) == 64 && len(c.found) > 0 {
			return fs.SkipAll
		}
		return nil
	})
	if errors.Is(err, errArchiveLost) && len(c.found) > 0 {
		err = nil
	}
	return c.found, err
}

// asString returns text without copying it: an index may be large. text must not be changed any more.
func asString(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

// eachIndex calls do with INDEX.md, nil if it does not exist, and then with every archive, oldest first.
// fs.SkipAll from do ends the walk. A walk that comes to its end without an archive that has to be there
// fails with errArchiveLost.
func eachIndex(d *durable.Dir, do func(name string, text []byte) error) (err error) {
	defer func() {
		if err == fs.SkipAll {
			err = nil
		}
	}()
	text, err := readIndex(d, index.Name)
	if err != nil {
		return err
	}
	linked := index.Archives(asString(text))
	if err := do(index.Name, text); err != nil {
		return err
	}
	var lost error
	for n := 1; ; {
		name := index.ArchiveName(n)
		text, err := readIndex(d, name)
		if err != nil {
			return err
		}
		if n = index.NextArchive(linked, n, text != nil); n == 0 {
			return lost
		}
		if !index.HasTable(text) {
			lost = cmp.Or(lost, archiveLost(d, name))
		} else if err := do(name, text); err != nil {
			return err
		}
	}
}

// parseStored reads a stored document. It needs no rules: the shape of the head is checked in plain Go.
func parseStored(name string, text []byte) (Document, error) {
	doc, faults := document.ParseStored(text)
	if len(faults) > 0 {
		return Document{}, &CorruptError{File: name, Line: faults[0].Line, Why: "is no valid handoff: " + faults[0].Problem}
	}
	return doc, nil
}

// Load returns the handoff of an entry that List gave, and proves it as Read does.
func (s *Store) Load(e Entry) (got Stored, err error) {
	failed := s.LoadEach([]Entry{e}, func(one Stored, fault error) bool {
		got, err = one, fault
		return true
	})
	if failed != nil {
		return Stored{}, failed
	}
	return got, err
}

// LoadEach calls do with what Load gives for each entry, until do returns false.
func (s *Store) LoadEach(entries []Entry, do func(Stored, error) bool) error {
	if len(entries) == 0 {
		return nil
	}
	d, err := s.reader()
	if err != nil {
		return err
	}
	if d == nil {
		return unknownID(entries[0].ID, s.opt.Dir)
	}
	defer d.Close()
	for _, e := range entries {
		got := Stored{Entry: e, Path: s.relPath(e.File)}
		got.Document, got.Text, err = s.load(d, e)
		if !do(got, err) {
			break
		}
	}
	return nil
}
