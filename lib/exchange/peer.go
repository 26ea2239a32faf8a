package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A peer is what a store takes over from: a git remote, a neighbouring work tree, or a parcel. What it tells goes
// one way, whichever it is: see [exchange.take].
type peer interface {
	// tell adds what the peer has and this store did not take over yet.
	tell(ctx, *catch) error

	// choose gives an error to what is not to be stored, once it is known what would become of each document.
	choose(*catch, []handoff.Result) error

	// extend takes over what needs documents that are stored by then: claims and signatures.
	extend(ctx, *catch) error

	// again returns what of the handoffs that were pruned here the peer has.
	again(ctx, map[string]*past) ([]handoff.Source, error)

	// keep remembers that all was taken over.
	keep(ctx, *catch) error
}

// A catch is what a peer tells.
type catch struct {
	held    held              // what waited, and what will; its documents are those of the sources
	sources []handoff.Source  // of the documents
	waited  int               // how many of the first of them had been taken from their writers before
	said    map[string][]said // by the new events of each writer
	near    bool              // it is another work tree of the same user
	isWhole bool              // all of the documents are stored, or none
	all     bool              // also what others tell at second hand counts

	moves   map[string]string // of refs, once all is stored
	kept    []byte            // of what waited, as it was read
	reached progress          // in the log of a work tree
}

// take takes over what a peer has in one batch, and remembers what has to wait. What is stored already
// changes nothing, so that an exchange which is interrupted here is repeated.
func (x *exchange) take(ctx ctx) error {
	c := &catch{said: make(map[string][]said), moves: make(map[string]string)}
	if err := x.peer.tell(ctx, c); err != nil {
		return err
	}
	results, err := x.importAll(ctx, c)
	if err != nil {
		return err
	}
	x.wait(c, results)
	if err := x.peer.extend(ctx, c); err != nil || x.DryRun {
		return err
	}
	for writer, all := range c.said {
		for _, s := range all {
			if !x.refused[writer] {
				c.note(writer, s)
			}
		}
	}
	if err := x.takeEffects(ctx, c); err != nil {
		return err
	}
	return x.peer.keep(ctx, c)
}

// wait counts what is new here, and leaves in what is held the documents that may be stored at another time.
func (x *exchange) wait(c *catch, results []handoff.Result) {
	waiting := []heldDocument{}
	for i, r := range results {
		d := c.held.Documents[i]
		isHeld := func(w heldDocument) bool { return w.ID == d.ID }
		switch {
		case x.receives(r), r.Err == nil:
		case errors.As(r.Err, new(*handoff.PrunedError)): // it does not come back
		case (i < c.waited || !x.refused[d.Writer]) && !slices.ContainsFunc(waiting, isHeld) && !x.has(d.ID):
			d.Why = firstLine(r.Err)
			waiting = append(waiting, d)
			if !slices.Contains(x.got.Why, d.Why) {
				x.got.Why = append(x.got.Why, d.Why)
			}
		}
	}
	c.held.Documents, x.got.Held = waiting, len(waiting)
}

// receives counts a handoff if it is new here, and reports whether it is.
func (x *exchange) receives(r handoff.Result) bool {
	isNew := r.Err == nil && r.Receipt.Status != handoff.StatusExisting
	if isNew {
		x.got.Received = append(x.got.Received, r.Receipt)
	}
	return isNew
}

// has reports whether a document is here, by whomever it came.
func (x *exchange) has(id string) bool {
	_, err := x.Find(id)
	return err == nil
}

// importAll stores the documents, but for those that the peer is not to be trusted with.
func (x *exchange) importAll(ctx ctx, c *catch) (results []handoff.Result, err error) {
	if len(c.sources) == 0 {
		return nil, nil
	}
	var failed error
	choose := func(results []handoff.Result) { failed = x.peer.choose(c, results) }
	switch {
	case !x.DryRun && !c.isWhole:
		results, err = x.Exchange().WriteChosen(ctx, c.sources, choose)
		return results, cmp.Or(err, failed)
	case x.DryRun:
		results, err = x.TryGood(c.sources)
	default:
		var receipts []handoff.Receipt
		receipts, err = x.WriteAll(ctx, c.sources)
		for _, r := range receipts {
			results = append(results, handoff.Result{Receipt: r})
		}
	}
	if err == nil {
		choose(results)
	}
	return results, cmp.Or(err, failed)
}

// add adds a document.
func (c *catch) add(d heldDocument, s handoff.Source) {
	c.held.Documents, c.sources = append(c.held.Documents, d), append(c.sources, s)
}

// load reads a file of JSON, and returns its text too.
func load(d *disk.Dir, name string, v any) (text []byte, err error) {
	if text, err = d.ReadFile(name, maxHeld); err == nil {
		err = json.Unmarshal(text, v)
	}
	return text, err
}

// save replaces a file of JSON for good, unless it has the same text already.
func save(d *disk.Dir, name string, was []byte, v any) error {
	text, err := json.Marshal(v)
	if text = append(text, '\n'); err != nil || bytes.Equal(text, was) {
		return err
	}
	return d.ReplaceNow(name, text, 0o600)
}

// firstLine is as much of an error as one line of a report may have.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
