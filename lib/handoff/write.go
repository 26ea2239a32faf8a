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
	results, err := s.write(ctx, sources)
	receipts := make([]Receipt, len(results))
	for i, r := range results {
		receipts[i] = r.Receipt
	}
	return receipts, err
}

// A result is what became of one document: a receipt or an error.
type result struct {
	Receipt Receipt
	Err     error
}

// Try returns the error that WriteAll would have before it takes the lock. It writes nothing.
func (s *Store) Try(sources []Source) error {
	_, err := s.accept(sources, make([]result, len(sources)))
	return err
}

func (s *Store) write(ctx context.Context, sources []Source) (_ []result, err error) {
	defer func() { err = fault.Unpublished(err) }()
	results := make([]result, len(sources))
	docs, err := s.accept(sources, results)
	if err == nil && len(docs) > 0 {
		err = s.publish(ctx, sources, docs, results)
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
func (s *Store) publish(ctx context.Context, sources []Source, docs []admitted, results []result) error {
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
	}, false)
	for i, o := range outcomes {
		r := &results[at[i]].Receipt
		if r.Path = s.at.RelPath(o.File); o.Existing {
			r.Status = StatusExisting
		}
		if redacted[i] != "" {
			s.opt.Warn(redacted[i])
		}
	}
	return err
}

// accept runs all checks that precede the writing. Refused documents are left out and reported in results. The first
// failed check ends it.
func (s *Store) accept(sources []Source, results []result) ([]admitted, error) {
	orFaults := func(err error) error {
		if err == nil {
			err = fault.Join(results, func(r result) error { return r.Err })
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
