package txn

import (
	"context"
	"errors"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// write puts documents into the handoffs directory and their rows into INDEX.md, whose replacement commits it.
var write = Operation{Name: "write", committed: rowsAreThere, redo: readdRows}

// A Publication is a document that may be stored, with its bytes.
type Publication struct {
	*document.Document
	Name              string                 // what the caller calls it, for messages
	Text              func() ([]byte, error) // gives it as it is stored; called once
	BodySize          int                    // of the body, which need not be in the document
	Operators         string                 // what is known of its from and to
	Allowed, Redacted []string
	Origin            *Origin    // of an import, nil for what is written here
	Signature         *Signature // nil is none
	Restore           bool       // also what was pruned
	Rate              int        // so many may its sender write to its recipient in 10 minutes; 0 means no limit

	sum string // SHA-256 of the text, once it is staged
}

// An Origin is the store that a document comes from.
type Origin struct {
	Writer string // of the state directory there; "" if it is not known
	Commit string // of that writer, with which it came; "" if it came by another way than sync
}

// An Outcome says what became of one document.
type Outcome struct {
	File     string
	Existing bool // it was stored before
	Err      error
}

// Publish stores n documents with one commit, and says of each what became of it. Their bodies are on
// disk before the lock is taken. If one cannot be stored none is, unless keepGoing. doc gives the i-th
// of them, as often as it is needed and to several goroutines: so many are not held at a time.
func Publish(ctx context.Context, s *store.Store, n int, doc func(i int) Publication, keepGoing bool) ([]Outcome, error) {
	if n == 0 {
		return nil, nil
	}
	p := &publishing{doc: doc, sums: make([]string, n), outcomes: make([]Outcome, n)}
	err := change(ctx, s, func(x *Session) (func() error, error) {
		p.Session = x
		return func() error { return p.store(keepGoing) }, p.stage()
	})
	return p.outcomes, err
}

// A publishing is one run of Publish.
type publishing struct {
	*Session
	doc      func(i int) Publication // nil once all is known of them
	sums     []string                // SHA-256 of their texts
	staged   []*durable.Staged
	batch    *durable.Batch // that they are of, if there are several
	outcomes []Outcome

	choose *chooser
	step   step
	rate   rate     // nil until it is asked for
	news   []news   // what the audit log is going to be told
	back   []string // ids of rows that were lost, not their events
}

// News is a document that has no event yet.
type news struct {
	doc     int
	adopted bool
}

// store decides for each document whether it is new, and publishes the new ones in one step.
func (p *publishing) store(keepGoing bool) error {
	text, err := p.currentIndex()
	if err != nil {
		return err
	}
	p.choose = newChooser(p.Session, text, len(p.sums))
	p.step = step{op: &write, intent: Intent{Index: layout.Index}, more: p.events}
	for i := range p.sums {
		if err := p.plan(i); err != nil {
			return err
		}
	}
	if err := p.failures(); err != nil && !keepGoing {
		return err
	}
	st := p.step
	if len(st.intent.Bodies) == 0 {
		return nil
	}
	if text, err = p.makeRoom(text, len(st.intent.Bodies)); err != nil {
		return err
	}
	st.commit = func() error {
		return p.replaceIndex(layout.Index, text, index.AppendAll(text, st.intent.rows()))
	}
	p.choose, p.step = nil, step{} // of a large batch they hold much memory
	return p.apply(st)
}

// events makes what the audit log is told, after which the documents are not needed any more.
func (p *publishing) events(yield func(eventlog.Pending) bool) {
	for _, n := range p.news {
		if !yield(Written(p.Store, p.doc(n.doc), p.outcomes[n.doc].File, n.adopted)) {
			return
		}
	}
	p.doc = nil
	if len(p.back) > 0 {
		yield(eventlog.Pending{Type: eventlog.TypeRepair,
			Payload: eventlog.Repaired{Index: layout.Index, AddedRows: eventlog.FirstIDs(p.back), Quarantined: []string{}}})
	}
}

// plan adds the i-th document to the step, if it is new. The error is one that concerns them all.
func (p *publishing) plan(i int) error {
	d := p.doc(i)
	d.sum = p.sums[i]
	chosen, err := p.choose.choose(d)
	if err == nil && !chosen.listed && !chosen.adopt {
		err = p.limit(d)
	}
	if err = fault.Unreadable(err); err != nil && fault.Class(err) == nil {
		return err // of the system: no other document would fare better
	}
	p.outcomes[i] = Outcome{File: chosen.file, Existing: chosen.listed, Err: err}
	if err != nil || chosen.listed {
		return nil
	}
	row := index.Row{ID: d.HandoffID, File: chosen.file, From: d.From, To: d.To, Topic: d.Topic, Time: d.Time}
	body := Body{File: chosen.file, SHA256: d.sum, ID: d.HandoffID}
	logged := false
	if chosen.adopt {
		if row, logged, err = p.choose.recorded(row); err == nil {
			body.SHA256, err = p.hashFile(chosen.file)
		}
	} else {
		body.Inode = p.staged[i].Inode()
		p.step.staged = append(p.step.staged, p.staged[i])
	}
	if err != nil {
		return err
	}
	body.Row = Row{row}
	if d.Signature != nil {
		p.step.intent.Signatures = append(p.step.intent.Signatures, *d.Signature)
	}
	if p.step.intent.Bodies == nil { // at once: to grow it would take as much again
		p.step.intent.Bodies, p.news = make([]Body, 0, len(p.sums)-i), make([]news, 0, len(p.sums)-i)
	}
	p.step.intent.Bodies = append(p.step.intent.Bodies, body)
	if logged {
		p.back = append(p.back, d.HandoffID)
	} else {
		p.news = append(p.news, news{i, chosen.adopt})
	}
	return nil
}

// failures joins what is wrong with single documents, nil if nothing is.
func (p *publishing) failures() error {
	var errs []error
	for _, o := range p.outcomes {
		if o.Err != nil {
			errs = append(errs, o.Err)
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// hashFile returns the SHA-256 of a file of the handoffs directory.
func (x *Session) hashFile(name string) (string, error) {
	text, err := x.Dir.ReadFile(name, layout.MaxDocument)
	return canon.SHA256Hex(text), err
}

// currentIndex returns INDEX.md, or the text of an empty one if the store has no handoff yet.
func (x *Session) currentIndex() ([]byte, error) {
	text, err := store.ReadIndex(x.Dir, layout.Index)
	if err != nil || !index.ListsNothing(text) {
		return text, err
	}
	if err := x.HasLostIndex(); err != nil {
		return nil, err
	}
	if len(text) > 0 {
		return text, nil
	}
	return index.New(nil), nil
}

// rowsAreThere reports whether the rows of an intent were committed: INDEX.md lists a body under its name.
func rowsAreThere(x *Session, intent *Intent) (bool, error) {
	text, err := store.ReadIndex(x.Dir, layout.Index)
	if err != nil {
		return false, err
	}
	for _, body := range intent.Bodies {
		if l, ok := index.Find(text, body.ID); ok && l.Row.File == body.File {
			return true, nil // they came in one rename
		}
	}
	return false, nil
}

// readdRows is for an INDEX.md that was put back to an older state while the log went on.
func readdRows(x *Session, intent *Intent) error {
	var rows []index.Row
	for _, body := range intent.Bodies {
		text, err := x.Dir.ReadFile(body.File, layout.MaxDocument)
		if err != nil || canon.SHA256Hex(text) != body.SHA256 {
			return &fault.CorruptError{File: x.Path(body.File), Why: "is recorded in the audit log, but missing or changed"}
		}
		archived, err := x.inArchives(body.ID)
		if err != nil {
			return err
		}
		if body.Row.ID != "" && !archived {
			rows = append(rows, body.Row.Row)
		}
	}
	text, err := store.ReadIndex(x.Dir, layout.Index)
	if err != nil {
		return err
	}
	return x.putIndex(layout.Index, index.Append(text, rows), nil)
}
