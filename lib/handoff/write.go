package handoff

import (
	"context"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Document is a handoff. SchemaVersion, HandoffID, From, To, Topic, Time (ts_utc), References and Tags are its
// frontmatter, Body is its Markdown.
type Document = document.Document

// A Source is a document to write. Exactly one of Text, Fields, Make and Open is set.
type Source struct {
	Name   string               // its name in messages, such as a file name; or ""
	Text   []byte               // frontmatter and body
	Fields *Document            // the document itself
	Make   func() (Made, error) // makes the document; called once, after the machine was checked
	// returns a source of the same document each time, so that a large batch needs little memory
	Open func() (Source, error)

	// with Text: fields that its frontmatter must not contradict, and gets if it lacks them; or nil
	Expected *Document
	Defaults func(body string) Document // with Expected: the defaults of frontmatter fields, for a body

	ID string // the id that the document must have; "" means any
}

// resolve returns the source with the document of Make or Open.
func (src Source) resolve() (_ Source, redacted []string, err error) {
	if src.Open != nil {
		opened, err := src.Open()
		if err != nil {
			return src, nil, err
		}
		src.Text, src.Fields, src.Make = opened.Text, opened.Fields, opened.Make
		src.Expected, src.Defaults = opened.Expected, opened.Defaults
	}
	if src.Make == nil {
		return src, nil, nil
	}
	m, err := src.Make()
	src.Fields = &m.Document
	return src, m.Redacted, err
}

// A Receipt is the result of Write.
type Receipt struct {
	ID     string `json:"handoff_id"`
	Path   string `json:"file_path"` // relative to the project root if inside it
	Time   string `json:"ts_utc"`
	Status string `json:"status"` // StatusCreated or StatusExisting

	Signature *Signature `json:"signature,omitempty"` // of the document
}

// The values of Receipt.Status.
const (
	StatusCreated  = "created"
	StatusExisting = "existing" // the same document was stored before; nothing changed
	StatusNew      = "new"      // TryGood only: the document would be created
)

// Write stores a document. If it returns no error, body, row of INDEX.md and audit event are on disk. If the same
// document is already stored, the status is StatusExisting and nothing changes.
//
// An error wraps ErrInvalid (the document), ErrDenied (its operators), ErrBusy (the lock), ErrIntegrity (the id, the
// machine or the stored data) or ErrConfig (the directory, or no free name). The checks have this order: machine,
// document, time, id, directory, operators, lock, free name. After any error, writing the same document again is
// safe.
func (s *Store) Write(ctx context.Context, src []byte) (Receipt, error) {
	receipts, err := s.WriteAll(ctx, []Source{{Text: src}})
	if err != nil {
		return Receipt{}, err
	}
	return receipts[0], nil
}

// WriteAll stores all documents or none, under one lock and with one commit. The receipts have the order of the
// sources. Errors are those of Write, joined if several documents have one.
func (s *Store) WriteAll(ctx context.Context, sources []Source) ([]Receipt, error) {
	results, err := s.write(ctx, sources, false)
	receipts := make([]Receipt, len(results))
	for i, r := range results {
		receipts[i] = r.Receipt
	}
	return receipts, err
}

// A Result is the result of WriteGood for one document: a receipt or an error.
type Result struct {
	Receipt Receipt
	Err     error
}

// WriteGood stores the documents that have no error, under one lock and with one commit. The results have the order
// of the sources. The error is one that concerns all documents.
func (s *Store) WriteGood(ctx context.Context, sources []Source) ([]Result, error) {
	return s.write(ctx, sources, true)
}

// TryGood is like WriteGood, but writes nothing. The status of a document that would be created is StatusNew.
func (s *Store) TryGood(sources []Source) ([]Result, error) {
	results := make([]Result, len(sources))
	docs, err := s.accept(sources, results, true)
	if err != nil {
		return nil, err
	}
	ids := make(map[string]bool, len(docs))
	for _, d := range docs {
		ids[d.HandoffID] = true
	}
	there, err := s.rowsOf(func(id string) bool { return ids[id] })
	if err != nil {
		return nil, err
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

func (s *Store) write(ctx context.Context, sources []Source, keepGoing bool) (_ []Result, err error) {
	defer func() { err = fault.Unpublished(err) }()
	results := make([]Result, len(sources))
	docs, err := s.accept(sources, results, keepGoing)
	if err == nil && len(docs) > 0 {
		err = s.publish(ctx, sources, docs, results, keepGoing)
	}
	if err == nil {
		err = s.signExisting(ctx, docs, results)
	}
	if err != nil {
		return nil, err
	}
	s.pinSighted(ctx)
	return results, nil
}

// publish stores the documents with one commit, and sets their results.
func (s *Store) publish(ctx context.Context, sources []Source, docs []admitted, results []Result,
	keepGoing bool) error {
	redacted := make(map[int]string) // what to say once they are stored
	at := make([]int, len(docs))
	for i, d := range docs {
		if len(d.redacted) > 0 {
			redacted[i] = fault.Prefixed(d.name) + "redacted credentials by these rules: " +
				strings.Join(d.redacted, ", ")
		}
		at[i] = d.at
		results[d.at].Receipt = Receipt{ID: d.HandoffID, Time: d.Time, Status: StatusCreated, Signature: d.verdict}
	}
	outcomes, err := txn.Publish(ctx, s.at, len(docs), func(i int) txn.Publication {
		d := docs[i]
		return txn.Publication{Document: &d.Document, Name: d.name, BodySize: d.size, Operators: string(d.operators),
			Allowed: d.allowed, Redacted: d.redacted, Signature: d.signature,
			Text: func() ([]byte, error) { return s.stored(d.sealed, sources[d.at]) }}
	}, keepGoing)
	for i, o := range outcomes {
		switch r := &results[at[i]]; {
		case o.Err != nil:
			*r = Result{Err: o.Err}
			continue
		case o.Existing:
			r.Receipt.Status = StatusExisting
		}
		results[at[i]].Receipt.Path = s.at.RelPath(o.File)
		if redacted[i] != "" {
			s.opt.Warn(redacted[i])
		}
	}
	return err
}

// accept runs all checks that precede the writing. Refused documents are left out and reported in results. Without
// keepGoing the first failed check ends it.
func (s *Store) accept(sources []Source, results []Result, keepGoing bool) ([]admitted, error) {
	orFaults := func(err error) error {
		if err == nil && !keepGoing {
			err = Faults(results)
		}
		return err
	}
	if _, err := txn.Guard(s.at); err != nil {
		return nil, err
	}
	docs := s.seal(sources, results)
	if err := orFaults(nil); err != nil {
		return nil, err
	}
	clean, err := s.screen(docs, results)
	if err = orFaults(err); err != nil {
		return nil, err
	}
	admitted, err := s.admit(clean, results)
	if err = orFaults(err); err != nil {
		return nil, err
	}
	signed, err := s.sign(admitted, sources, results)
	return signed, orFaults(err)
}

// Faults joins the errors of single documents. It returns nil if there are none.
func Faults(results []Result) error {
	return fault.Join(results, func(r Result) error { return r.Err })
}

// guard returns an error if the store belongs to another machine, or if its handoffs are missing: every id would be
// unknown.
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

// Ready checks the machine and the directories before long work that precedes a write. Write checks them again.
// Errors are ErrIntegrity and ErrConfig.
func (m Maintenance) Ready() error {
	if err := m.s.guard(); err != nil {
		return err
	}
	return m.s.at.CheckPlaces()
}

// Recover completes or undoes an interrupted change, as every writing command does first. It is for commands that may
// have nothing to write. Errors are those of Write.
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
