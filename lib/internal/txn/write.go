package txn

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Publication is a document to store, with its bytes.
type Publication struct {
	*document.Document
	Name              string                 // the caller's name for it, for messages
	Text              func() ([]byte, error) // returns the stored form; called once
	BodySize          int                    // the size of the body, which need not be in the document
	Operators         string                 // the result of checking its sender and recipient
	Allowed, Redacted []string
	Signature         *Signature // optional

	sum string // SHA-256 of the text, once it is staged
}

// An Outcome is the result for one document.
type Outcome struct {
	File     string
	Existing bool // it was stored before
	Err      error
}

// Publish stores n documents with one commit and returns an outcome for each. The bodies are on disk before
// the lock is taken. If one cannot be stored, none is, unless keepGoing is set. doc returns the i-th
// document. It is called repeatedly and from several goroutines, so that not all documents are in memory.
func Publish(ctx context.Context, s *store.Store, n int, doc func(i int) Publication, keepGoing bool) ([]Outcome,
	error) {
	if n == 0 {
		return nil, nil
	}
	p := &publishing{doc: doc, texts: make([]journal.Text, n), outcomes: make([]Outcome, n)}
	err := run(ctx, s, func(x *Session) (func() error, error) {
		p.Session = x
		return func() error { return p.store(keepGoing) }, p.stage()
	})
	return p.outcomes, err
}

// A publishing is one run of Publish.
type publishing struct {
	*Session
	doc      func(i int) Publication // nil once it is no longer needed
	texts    []journal.Text          // the stored forms
	spool    *journal.Spool          // holds texts that are large or many; optional
	outcomes []Outcome

	committed bool // a record may refer to the spool
	restored  bool // files were compared with the journal, since one of them was changed

	choose   *chooser
	change   change
	unlogged []unlogged // documents without an event
	back     []string   // ids whose row was lost but not their event
}

// An unlogged is a document that has no event yet.
type unlogged struct {
	doc     int
	adopted bool
}

// store decides which documents are new, and publishes those as one change.
func (p *publishing) store(keepGoing bool) error {
	text, err := p.currentIndex()
	if err != nil {
		return err
	}
	ids := make(map[string]bool)
	for i := range p.texts {
		ids[p.doc(i).HandoffID] = true
	}
	p.choose = newChooser(p.Session, text, ids)
	p.change = change{Record: journal.Record{Op: "write"}, more: p.events, spool: p.spool}
	for i := range p.texts {
		if err := p.plan(i); err != nil {
			return err
		}
	}
	err = fault.Join(p.outcomes, func(o Outcome) error { return o.Err })
	if err != nil && !keepGoing {
		return err
	}
	c := p.change
	if len(c.Added) == 0 {
		return nil
	}
	if err := p.makeRoom(len(c.Added)); err != nil {
		return err
	}
	p.choose, p.change, p.texts = nil, change{}, nil // in a large batch they hold much memory
	p.committed = true
	return p.commit(&c)
}

// events yields the events of the change. The documents are not needed afterwards.
func (p *publishing) events(yield func(eventlog.Pending) bool) {
	for _, n := range p.unlogged {
		if !yield(Written(p.Store, p.doc(n.doc), p.outcomes[n.doc].File, n.adopted)) {
			return
		}
	}
	p.doc = nil
	if len(p.back) > 0 {
		yield(eventlog.Pending{Type: eventlog.TypeRepair,
			Payload: eventlog.Repaired{Index: disk.IndexFile, AddedRows: eventlog.FirstIDs(p.back),
				Quarantined: []string{}}})
	}
}

// plan adds the i-th document to the change if it is new. It returns only errors that concern all documents.
func (p *publishing) plan(i int) error {
	d := p.doc(i)
	d.sum = p.texts[i].SHA256.String()
	chosen, err := p.choose.choose(d)
	if errors.Is(err, fault.ErrIntegrity) && !p.restored && p.j.Records() > 0 { // restore it from the journal
		p.restored = true
		if err := p.checkpoint(p.index); err != nil {
			return err
		}
		chosen, err = p.choose.choose(d)
	}
	if err = fault.Unreadable(err); err != nil && fault.Class(err) == nil {
		return err // an error of the system would fail every other document too
	}
	p.outcomes[i] = Outcome{File: chosen.file, Existing: chosen.listed, Err: err}
	if err != nil || chosen.listed {
		return nil
	}
	row := store.RowOf(*d.Document, chosen.file)
	logged := false
	if chosen.adopt {
		row, logged, err = p.choose.recorded(row)
	} else {
		p.change.New = append(p.change.New, journal.File{Name: journal.Name{Place: journal.Handoffs,
			File: chosen.file}, Text: p.texts[i]})
	}
	if err == nil && d.Signature != nil {
		err = p.sign(*d.Signature)
	}
	if err != nil {
		return err
	}
	p.change.Added = append(p.change.Added, row)
	if logged {
		p.back = append(p.back, d.HandoffID)
	} else {
		p.unlogged = append(p.unlogged, unlogged{i, chosen.adopt})
	}
	return nil
}

// sign adds a signature to the change. Another signature that exists already is an error.
func (p *publishing) sign(one Signature) error {
	there, err := store.ReadSignature(p.Dir, one.ID)
	if err != nil || string(there) == one.Text {
		return err
	}
	if there != nil {
		return fault.Integrity("move it away", "%s exists already and signs no handoff of this store",
			filepath.Join(p.Opt.Dir, disk.Signatures, disk.SignatureFile(one.ID)))
	}
	p.change.New = append(p.change.New, one.file())
	return nil
}

// currentIndex returns INDEX.md, or the text of an empty one if the store has no handoff yet.
func (x *Session) currentIndex() ([]byte, error) {
	if !index.ListsNothing(x.index) {
		return x.index, nil
	}
	if err := x.HasLostIndex(); err != nil {
		return nil, err
	}
	if len(x.index) > 0 {
		return x.index, nil
	}
	return index.New(), nil
}
