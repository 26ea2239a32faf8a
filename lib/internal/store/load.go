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

// Load reads the document of a row and verifies that it is the one that was written. It returns the text that
// it could read even if it fails. If the handoff was pruned since it was listed, the error is that of
// [UnknownID].
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
		// the file was damaged by a crash, not edited
		if journalErr == nil && kept != nil && disk.Begins(string(kept), text) {
			if again, err := s.ParseListed(e, kept, nil); err == nil {
				return again, kept, nil
			}
		}
	}
	return doc, text, err
}

// ParseListed does the rest of Load. text and err are the results of reading the file.
func (s *Store) ParseListed(e index.Row, text []byte, err error) (doc document.Document, _ error) {
	if errors.Is(err, fs.ErrNotExist) {
		return doc, &fault.CorruptError{File: s.RelPath(e.File), Why: "is listed in the index but does not exist"}
	}
	if err != nil {
		return doc, fault.Unreadable(AsCorrupt(s.RelPath(e.File), err))
	}
	if doc, err = ParseStored(s.RelPath(e.File), text); err == nil {
		err = CompareRow(s.RelPath(e.File), doc, e)
	}
	return doc, err
}

// IsProven reports whether a document is the one that was written. err is the error of loading it. If the
// document could not be read, IsProven returns the error.
func IsProven(err error) (bool, error) {
	if errors.Is(err, fault.ErrIntegrity) || errors.Is(err, fault.ErrInvalid) {
		return false, nil
	}
	return err == nil, err
}

// AsCorrupt returns a *fault.CorruptError if err says that a file of the store is not a regular file or is
// too large. It returns any other error unchanged.
func AsCorrupt(path string, err error) error {
	if errors.Is(err, disk.ErrUnsafe) || errors.Is(err, disk.ErrTooLarge) {
		return &fault.CorruptError{File: path, Why: err.Error()}
	}
	return err
}

// CompareRow returns an error unless doc is the document that the row lists.
func CompareRow(file string, doc document.Document, e index.Row) error {
	id, err := document.ID(doc)
	if err != nil {
		return err
	}
	if doc.HandoffID != id || e.ID != id {
		return &fault.CorruptError{File: file,
			Why: fmt.Sprintf("was changed after it was stored: its content has the id %s, the index says %s", id, e.ID)}
	}
	for _, f := range []struct{ name, file, row string }{
		{"from", doc.From, e.From}, {"to", doc.To, e.To}, {"topic", doc.Topic, e.Topic}, {"ts_utc", doc.Time, e.Time},
	} {
		if f.file != f.row {
			return &fault.CorruptError{File: file, Why: fmt.Sprintf("its %s is %[3]q, but the index says %[2]q",
				f.name, f.row, f.file)}
		}
	}
	return nil
}

// ParseStored parses a stored document. It needs no JSON schema.
func ParseStored(name string, text []byte) (document.Document, error) {
	doc, faults := document.ParseStored(text)
	if len(faults) > 0 {
		return document.Document{}, &fault.CorruptError{File: name, Line: faults[0].Line,
			Why: "is not a valid handoff: " + faults[0].Problem}
	}
	return doc, nil
}

// RowOf returns the row of a document in a file, without read marks.
func RowOf(doc document.Document, file string) index.Row {
	return index.Row{ID: doc.HandoffID, File: file, From: doc.From, To: doc.To, Topic: doc.Topic, Time: doc.Time}
}

// ParseProven parses a stored document whose id is that of its content, and returns its row.
func ParseProven(file string, text []byte) (doc document.Document, row index.Row, err error) {
	if doc, err = ParseStored(file, text); err == nil {
		row = RowOf(doc, file)
		err = CompareRow(file, doc, row)
	}
	return doc, row, err
}

// SameHandoff reports whether two rows have the same id, sender, recipient, topic and time.
func SameHandoff(a, b index.Row) bool {
	return a.ID == b.ID && a.From == b.From && a.To == b.To && a.Topic == b.Topic && a.Time == b.Time
}

// ReadSignature returns the signature of a handoff in an open handoffs directory, or nil if it has none.
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
	return nil, fault.Unreadable(AsCorrupt(filepath.Join(d.Path(), disk.Signatures, disk.SignatureFile(id)), err))
}

// Signed returns a function that reports whether a handoff has a signature, or may have one that cannot be read.
func Signed(d *disk.Dir) func(id string) bool {
	_, missing := d.Lstat(disk.Signatures)
	return func(id string) bool {
		if errors.Is(missing, fs.ErrNotExist) {
			return false
		}
		text, err := ReadSignature(d, id)
		return err != nil || text != nil
	}
}
