package handoff

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A Mark says that an operator has read a handoff, and when.
type Mark = index.Mark

// An Entry is a handoff as the index lists it. Only ID, File, From, To, Topic and Time tell of the
// document, and only Read proves them.
type Entry struct {
	index.Row
}

// UnreadBy reports whether operator has not marked the handoff as read. "" means its recipient.
func (e Entry) UnreadBy(operator string) bool {
	if operator == "" {
		operator = e.To
	}
	return !e.IsReadBy(operator)
}

// A Filter chooses entries. Its zero value chooses all.
type Filter struct {
	To, From, Topic string
	Tag             string    // reads the documents that the other conditions leave
	Since           time.Time // ts_utc not before it
	Unread          bool      // unread by To, or by their own recipient if To is ""
	Offered         bool      // their recipient was offered them and has not marked them as read
	Orphaned        bool      // their recipient has never marked any handoff as read
}

func (f Filter) matches(e Entry) bool {
	return (f.To == "" || e.To == f.To) && (f.From == "" || e.From == f.From) && (f.Topic == "" || e.Topic == f.Topic) &&
		(f.Since.IsZero() || !before(e.Time, f.Since)) && (!f.Unread || e.UnreadBy(f.To))
}

// check refuses names that no handoff can have.
func (f Filter) check() error {
	for _, n := range []struct {
		what, name string
		most       int
	}{
		{"operator", f.To, document.MaxName}, {"operator", f.From, document.MaxName},
		{"topic", f.Topic, document.MaxTopic}, {"tag", f.Tag, document.MaxTag},
	} {
		if n.name != "" && !form.IsSlug(n.name, n.most) {
			return fault.New(ErrInvalid, fmt.Sprintf("use 1 to %d letters, digits, _ and -", n.most), "%q is no %s", n.name, n.what)
		}
	}
	return nil
}

// skip tells from the text of a row that matches would not take it, without parsing the row; nil if the
// filter does not lend itself to that.
func (f Filter) skip() func(line []byte) bool {
	switch {
	case f.Orphaned || f.To == "" && !f.Unread:
		return nil
	case f.To == "":
		return func(line []byte) bool {
			to := index.Cell(line, 3)
			return index.IsRowLike(line) && len(to) > 0 && index.IsMarked(line, string(to))
		}
	}
	alone := "| " + f.To + ":"
	return func(line []byte) bool {
		if !index.IsRowLike(line) {
			return false
		}
		if f.Unread && index.IsMarkedAlone(line, alone) {
			return true
		}
		return string(index.Cell(line, 3)) != f.To || f.Unread && index.IsMarked(line, f.To)
	}
}

func before(ts string, t time.Time) bool {
	at, err := time.Parse(time.RFC3339Nano, ts)
	return err != nil || at.Before(t)
}

// List returns the entries that the filter chooses, older rows first. It takes no lock. A store that does
// not exist has none. Lines of the index that are not rows, and files without an index, are warned about.
// A filter with a name that no handoff can have is ErrInvalid.
func (s *Store) List(f Filter) ([]Entry, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	d, err := s.reader()
	if err != nil || d == nil {
		return nil, err
	}
	defer d.Close()
	readers := make(map[string]bool)
	choose := f.matches
	if f.Orphaned {
		choose = func(e Entry) bool {
			for _, m := range e.Marks() {
				readers[m.Operator] = true
			}
			return f.matches(e)
		}
	}
	entries, err := s.scan(d, choose, f.skip())
	if err != nil {
		return nil, err
	}
	keep := s.keep(d, f, readers)
	return slices.DeleteFunc(entries, func(e Entry) bool { return !keep(e) }), nil
}

// keep returns the conditions of a filter that a row alone does not answer. readers are the operators who
// have read something.
func (s *Store) keep(d *durable.Dir, f Filter, readers map[string]bool) func(Entry) bool {
	var told offered
	if f.Offered {
		told = s.told()
	}
	return func(e Entry) bool {
		if f.Orphaned && readers[e.To] || f.Offered && told.state(e) != StateOffered {
			return false
		}
		if f.Tag == "" {
			return true
		}
		doc, _, err := s.load(d, e)
		if err != nil {
			s.opt.Warn(fmt.Sprintf("%s is left out: %v", e.ID, err))
		}
		return err == nil && slices.Contains(doc.Tags, f.Tag)
	}
}

// reader opens the handoffs directory for a command that changes nothing; nil if it does not exist.
func (s *Store) reader() (*durable.Dir, error) {
	dir, err := s.prover()
	if errors.Is(err, errGone) {
		s.opt.Warn(err.Error())
		err = nil
	}
	return dir, err
}

// prover is reader for commands that say whether all is there: the error is errGone if a directory that does not
// exist held handoffs.
func (s *Store) prover() (*durable.Dir, error) {
	dir, err := s.openPlace(s.opt.Dir)
	if err != nil || dir != nil || !s.hasLog() {
		return dir, err
	}
	if dir, err = s.openPlace(s.opt.Dir); err == nil && dir == nil { // it was not made just now
		err = fault.New(ErrIntegrity, "bring it back: its disk, its branch or a backup; to begin anew, move "+shellQuote(s.opt.StateDir)+" away too",
			"%s: %v", s.opt.Dir, errGone)
	}
	return dir, err
}

// hasLog reports whether there is an audit log with something in it.
func (s *Store) hasLog() bool {
	state, err := s.openPlace(s.opt.StateDir)
	if err != nil || state == nil {
		return false
	}
	defer state.Close()
	log, err := state.Lstat(logName)
	return err == nil && log.Size > 0
}

// load reads the document of an entry and proves that it is the one that was written. The text comes back
// with an error too, as far as it could be read.
func (s *Store) load(d *durable.Dir, e Entry) (doc Document, text []byte, err error) {
	text, err = d.ReadFile(e.File, maxStored)
	doc, err = s.parseListed(e, text, err)
	return doc, text, err
}

// parseListed is the rest of load, after the file was read or not.
func (s *Store) parseListed(e Entry, text []byte, err error) (doc Document, _ error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doc, &CorruptError{File: s.relPath(e.File), Why: "is listed in the index, but does not exist"}
	case errors.Is(err, durable.ErrUnsafe), errors.Is(err, durable.ErrTooLarge):
		return doc, &CorruptError{File: s.relPath(e.File), Why: err.Error()}
	case err != nil:
		return doc, fault.Unreadable(err)
	}
	if doc, err = parseStored(s.relPath(e.File), text); err == nil {
		err = compareRow(s.relPath(e.File), doc, e)
	}
	return doc, err
}

// compareRow checks that the document is the one that the row lists.
func compareRow(file string, doc Document, e Entry) error {
	id, err := ID(doc)
	if err != nil {
		return err
	}
	if doc.HandoffID != id || e.ID != id {
		return &CorruptError{File: file, Why: fmt.Sprintf("is not what was written: its content has the id %s, the index says %s", id, e.ID)}
	}
	for _, f := range []struct{ name, file, row string }{
		{"from", doc.From, e.From}, {"to", doc.To, e.To}, {"topic", doc.Topic, e.Topic}, {"ts_utc", doc.Time, e.Time},
	} {
		if f.file != f.row {
			return &CorruptError{File: file, Why: fmt.Sprintf("the index lists it with another %s: %q, the document has %q", f.name, f.row, f.file)}
		}
	}
	return nil
}
