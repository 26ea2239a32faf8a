package handoff

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Document is a handoff: its frontmatter fields and its body.
type Document = document.Document

// A Source is a document to write, with what to call it in messages: one of Text, Fields, Make and Open.
type Source struct {
	Name   string                 // such as a file name; "" for none
	Text   []byte                 // frontmatter and body
	Fields *Document              // the document itself
	Make   func() (Made, error)   // makes the document; called once, after the machine was found to be the right one
	Open   func() (Source, error) // gives a source of the same document each time, so that not all of a batch are held

	Said  *Document                  // beside Text, whose frontmatter may lack it and must not contradict it; nil for nothing
	Usual func(body string) Document // what a frontmatter says that lacks it; needed with Said

	ID     string  // that the document has to have; "" for any
	Origin *Origin // of an import, nil for what is written here

	Restore    bool     // store it also if it was pruned
	Signatures []string // armored, of an import: the first that is good, or else holds, is stored with it
	MustSign   bool     // refuse it without a good signature, as if the operators file wanted one
}

// An Origin is the store that an imported document comes from.
type Origin = txn.Origin

// made returns the source with the document that Make gives.
func (src Source) made() (_ Source, redacted []string, err error) {
	if src.Open != nil {
		opened, err := src.Open()
		if err != nil {
			return src, nil, err
		}
		src.Text, src.Fields, src.Make, src.Said, src.Usual = opened.Text, opened.Fields, opened.Make, opened.Said, opened.Usual
	}
	if src.Make == nil {
		return src, nil, nil
	}
	m, err := src.Make()
	src.Fields = &m.Document
	return src, m.Redacted, err
}

// A Receipt says what Write did.
type Receipt struct {
	ID     string `json:"handoff_id"`
	Path   string `json:"file_path"` // relative to the project root if inside it
	Time   string `json:"ts_utc"`
	Status string `json:"status"` // StatusCreated or StatusExisting

	Signature *Signature `json:"signature,omitempty"` // that came with it
}

// Line is JSON(r, "") without a look at its type, which takes longer than the rest.
func (r Receipt) Line() (string, error) {
	if r.Signature != nil {
		return JSON(r, "")
	}
	var p jsontree.Printer
	p.Text("handoff_id", r.ID)
	p.Text("file_path", r.Path)
	p.Text("ts_utc", r.Time)
	p.Text("status", r.Status)
	return form.EscapeJSON(string(p.End()) + "\n"), nil
}

// What a Receipt can say.
const (
	StatusCreated  = "created"
	StatusExisting = "existing" // the same document was stored before; nothing was changed
	StatusNew      = "new"      // of TryGood: it would be created
)

// Write stores a document. When it returns without error, body, INDEX.md row and audit event are on disk.
// The same document again is StatusExisting and changes nothing.
//
// Errors wrap ErrInvalid (the document), ErrDenied (its operators), ErrBusy (the lock), ErrIntegrity (its
// id, this machine, or what is stored) or ErrConfig (the place, no free name), and come in this order:
// the machine, the document, its time, its id, the place, the operators, the lock, a free name.
// After any error, writing the same document again is safe.
func (s *Store) Write(ctx context.Context, src []byte) (Receipt, error) {
	receipts, err := s.WriteAll(ctx, []Source{{Text: src}})
	if err != nil {
		return Receipt{}, err
	}
	return receipts[0], nil
}

// WriteAll stores all documents or none, under one lock and with one commit. The receipts come in the
// order of the sources. Errors are those of Write, joined when several documents are at fault.
func (s *Store) WriteAll(ctx context.Context, sources []Source) ([]Receipt, error) {
	results, err := s.write(ctx, sources, false, nil)
	receipts := make([]Receipt, len(results))
	for i, r := range results {
		receipts[i] = r.Receipt
	}
	return receipts, err
}

// A Result is what became of one document of WriteGood: a receipt or an error.
type Result struct {
	Receipt Receipt
	Err     error
}

// WriteGood stores those of the documents that can be stored, under one lock and with one commit, and
// says for each what became of it, in the order of the sources. The error is one that concerns them all.
func (s *Store) WriteGood(ctx context.Context, sources []Source) ([]Result, error) {
	return s.write(ctx, sources, true, nil)
}

// WriteChosen is WriteGood, but for what choose refuses: it gets what was found of each document
// before any is stored, and may give others an error too.
func (x Exchange) WriteChosen(ctx context.Context, sources []Source, choose func([]Result)) ([]Result, error) {
	return x.s.write(ctx, sources, true, choose)
}

// TryGood is WriteGood but for the writing: a receipt says StatusNew of what would be created.
func (s *Store) TryGood(sources []Source) ([]Result, error) {
	results := make([]Result, len(sources))
	docs, err := s.accept(sources, results, true)
	if err != nil {
		return nil, err
	}
	entries, err := s.List(Filter{})
	if err != nil {
		return nil, err
	}
	there := make(map[string]Entry, len(entries))
	for _, e := range entries {
		there[e.ID] = e
	}
	for _, d := range docs {
		r := Receipt{ID: d.HandoffID, Time: d.Time, Status: StatusNew, Signature: d.verdict}
		if e, ok := there[d.HandoffID]; ok {
			r.Path, r.Status = s.at.RelPath(e.File), StatusExisting
		}
		results[d.at].Receipt = r
	}
	return results, nil
}

func (s *Store) write(ctx context.Context, sources []Source, keepGoing bool, choose func([]Result)) (_ []Result, err error) {
	defer func() { err = fault.Unpublished(err) }()
	results := make([]Result, len(sources))
	docs, err := s.accept(sources, results, keepGoing)
	if err == nil && choose != nil {
		choose(results)
		docs = slices.DeleteFunc(docs, func(d admitted) bool { return results[d.at].Err != nil })
	}
	if err == nil {
		err = s.commit(ctx, sources, docs, results, keepGoing)
	}
	if err != nil {
		return nil, err
	}
	s.pinSighted(ctx)
	return results, nil
}

// commit stores what may be stored, and then the signatures of what was there before.
func (s *Store) commit(ctx context.Context, sources []Source, docs []admitted, results []Result, keepGoing bool) error {
	rate, err := s.maxRate()
	if err != nil {
		return err
	}
	signed := slices.DeleteFunc(slices.Clone(docs), func(d admitted) bool { return d.signature == nil })
	places := expect(docs, results)
	if err := s.publish(ctx, places, s.publications(sources, docs, rate), results, keepGoing); err != nil {
		return err
	}
	return s.signExisting(ctx, signed, results)
}

// accept takes the sources through all that comes before the writing. What is refused is left out and
// reported in results, and ends it unless keepGoing.
func (s *Store) accept(sources []Source, results []Result, keepGoing bool) ([]admitted, error) {
	m, err := txn.Guard(s.at)
	if err != nil {
		return nil, err
	}
	docs := s.seal(sources, results)
	if err := Faults(results); err != nil && !keepGoing {
		return nil, err
	}
	clean, err := s.screen(docs, results)
	if err != nil {
		return nil, err
	}
	if err := Faults(results); err != nil && !keepGoing {
		return nil, err
	}
	admitted, err := s.admit(m, clean, results)
	if err == nil && !keepGoing {
		err = Faults(results)
	}
	if err != nil {
		return nil, err
	}
	if admitted, err = s.limitHops(admitted, results); err == nil && !keepGoing {
		err = Faults(results)
	}
	if err != nil {
		return nil, err
	}
	signed, err := s.sign(admitted, sources, results)
	if err == nil && !keepGoing {
		err = Faults(results)
	}
	return signed, err
}

// expect gives the documents the receipts that they get if they are new, and returns their places
// among the results.
func expect(docs []admitted, results []Result) []int {
	places := make([]int, len(docs))
	for i, d := range docs {
		places[i] = d.at
		results[d.at].Receipt = Receipt{ID: d.HandoffID, Time: d.Time, Status: StatusCreated, Signature: d.verdict}
	}
	return places
}

// publications returns what gives the i-th document as one that may be stored.
func (s *Store) publications(sources []Source, docs []admitted, rate int) func(i int) txn.Publication {
	return func(i int) txn.Publication {
		d := docs[i]
		return txn.Publication{Document: &d.Document, Name: d.name, BodySize: d.size, Operators: string(d.operators), Allowed: d.allowed, Redacted: d.redacted,
			Origin: d.origin, Signature: d.signature, Rate: rate, Restore: sources[d.at].Restore, Text: func() ([]byte, error) { return s.stored(d.sealed, sources[d.at]) }}
	}
}

// publish stores documents, and reports in results, where their places are, what became of each. It
// holds none of them: a batch is let go of before its end.
func (s *Store) publish(ctx context.Context, places []int, doc func(i int) txn.Publication, results []Result, keepGoing bool) error {
	outcomes, err := txn.Publish(ctx, s.at, len(places), doc, keepGoing)
	if err != nil {
		return err
	}
	for i, o := range outcomes {
		r := &results[places[i]]
		switch {
		case o.Err != nil:
			*r = Result{Err: o.Err}
		case o.Existing:
			r.Receipt.Status = StatusExisting
		}
		if o.Err == nil {
			r.Receipt.Path = s.at.RelPath(o.File)
		}
	}
	return nil
}

// Faults joins the errors of single documents, nil if there are none.
func Faults(results []Result) error {
	var errs []error
	for _, r := range results {
		errs = fault.Add(errs, r.Err)
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// guard refuses to go on where the store belongs to another machine, or where the handoffs that it held are
// gone: what is looked for there would be unknown.
func (s *Store) guard() error {
	if _, err := txn.Guard(s.at); err != nil {
		return err
	}
	d, err := s.at.Prover()
	if err == nil && d != nil {
		d.Close()
	}
	return err
}

// Ready says whether a document could be written: that this is the right machine, and that the place
// can hold a store. It is for programs that do long work before they write; Write looks at both again.
// Errors are ErrIntegrity and ErrConfig.
func (m Maintenance) Ready() error {
	if err := m.s.guard(); err != nil {
		return err
	}
	return m.s.at.CheckPlaces()
}

// Recover finishes or takes back what an interrupted command left, as every writing command does
// before anything else. It is for those that may find that there is nothing to write. Its errors are
// those of Write.
func (m Maintenance) Recover(ctx context.Context) (err error) {
	defer func() { err = fault.Unpublished(err) }()
	d, err := m.s.at.OpenDirs()
	if err != nil {
		return err
	}
	defer d.Close()
	if !d.Lags() {
		return nil
	}
	if _, err := txn.Guard(m.s.at); err != nil {
		return err
	}
	return txn.Locked(ctx, m.s.at, func(*txn.Session) error { return nil })
}
