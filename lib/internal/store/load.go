package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// Load reads the document of an entry and proves that it is the one that was written. The text comes back
// with an error too, as far as it could be read. One that was pruned since it was listed is unknown: ErrInvalid.
func (s *Store) Load(d *disk.Dir, e index.Row) (doc document.Document, text []byte, err error) {
	text, err = d.ReadFile(e.File, disk.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		if listed, stillErr := s.isListed(d, e.ID); stillErr == nil && !listed {
			return doc, nil, UnknownID(e.ID, s.Opt.Dir)
		}
	}
	if doc, err = s.ParseListed(e, text, err); errors.Is(err, fault.ErrIntegrity) && d.HasView() {
		kept, journalErr := s.fromJournal(e.File)
		if passing(journalErr) != nil {
			return doc, text, journalErr
		}
		if journalErr == nil && kept != nil && disk.Begins(string(kept), text) { // lost, and not changed
			if again, err := s.ParseListed(e, kept, nil); err == nil {
				return again, kept, nil
			}
		}
	}
	return doc, text, err
}

// ParseListed is the rest of load, after the file was read or not.
func (s *Store) ParseListed(e index.Row, text []byte, err error) (doc document.Document, _ error) {
	if errors.Is(err, fs.ErrNotExist) {
		return doc, &fault.CorruptError{File: s.RelPath(e.File), Why: "is listed in the index, but does not exist"}
	}
	if err != nil {
		return doc, fault.Unreadable(Odd(s.RelPath(e.File), err))
	}
	if doc, err = ParseStored(s.RelPath(e.File), text); err == nil {
		err = CompareRow(s.RelPath(e.File), doc, e)
	}
	return doc, err
}

// IsProven reports whether the document of a row is the one that was written, by the error of loading it. One
// that could not be read may be.
func IsProven(err error) (bool, error) {
	if errors.Is(err, fault.ErrIntegrity) || errors.Is(err, fault.ErrInvalid) {
		return false, nil
	}
	return err == nil, err
}

// Odd makes ErrIntegrity of the error of a file of the store if something else stands in its place, or more
// than it can have. Other errors, and none, stay as they are.
func Odd(path string, err error) error {
	if errors.Is(err, disk.ErrUnsafe) || errors.Is(err, disk.ErrTooLarge) {
		return &fault.CorruptError{File: path, Why: err.Error()}
	}
	return err
}

// CompareRow checks that the document is the one that the row lists.
func CompareRow(file string, doc document.Document, e index.Row) error {
	id, err := document.ID(doc)
	if err != nil {
		return err
	}
	if doc.HandoffID != id || e.ID != id {
		return &fault.CorruptError{File: file, Why: fmt.Sprintf("is not what was written: its content has the id %s, the index says %s", id, e.ID)}
	}
	for _, f := range []struct{ name, file, row string }{
		{"from", doc.From, e.From}, {"to", doc.To, e.To}, {"topic", doc.Topic, e.Topic}, {"ts_utc", doc.Time, e.Time},
	} {
		if f.file != f.row {
			return &fault.CorruptError{File: file, Why: fmt.Sprintf("the index lists it with another %s: %q, the document has %q", f.name, f.row, f.file)}
		}
	}
	return nil
}

// ParseStored reads a stored document. It needs no rules: the shape of the head is checked in plain Go.
func ParseStored(name string, text []byte) (document.Document, error) {
	doc, faults := document.ParseStored(text)
	if len(faults) > 0 {
		return document.Document{}, &fault.CorruptError{File: name, Line: faults[0].Line, Why: "is not a valid handoff: " + faults[0].Problem}
	}
	return doc, nil
}

// SameHandoff reports whether two rows agree in what comes from the document.
func SameHandoff(a, b index.Row) bool {
	return a.ID == b.ID && a.From == b.From && a.To == b.To && a.Topic == b.Topic && a.Time == b.Time
}

// ReadSignature returns the signature of a handoff in an open handoffs directory, nil if it has none.
func ReadSignature(d *disk.Dir, id string) ([]byte, error) {
	signatures, err := d.OpenDir(disk.Signatures)
	if err == nil {
		defer signatures.Close()
		var text []byte
		if text, err = signatures.ReadFile(disk.SignatureFile(id), disk.MaxSignature); err == nil {
			return text, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return nil, fault.Unreadable(Odd(filepath.Join(d.Path(), disk.Signatures, disk.SignatureFile(id)), err))
}
