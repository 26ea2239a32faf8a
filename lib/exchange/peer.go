package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A peer is a source of handoffs: a remote or a parcel. All peers are handled in the same
// way; see [exchange.take].
type peer interface {
	// collect adds what the peer has and this store has not received yet.
	collect(ctx, *intake) error

	// choose sets errors on results that must not be stored. The results are known, but nothing is stored yet.
	choose(*intake, []handoff.Result) error

	// extend adds claims and signatures, which need the stored documents.
	extend(ctx, *intake) error

	// keep records that everything was received.
	keep(ctx, *intake) error
}

// An intake is what a peer provides.
type intake struct {
	held    held                   // what is held, before and after; its documents are those of the sources
	sources []handoff.Source       // the sources of the documents
	waited  int                    // the number of documents that were held before, which come first
	said    map[string][]eventInfo // the new events of each writer
	isWhole bool                   // store all documents or none
	all     bool                   // events that the peer has from other writers count too

	imported map[string]string     // what of each writer is imported once everything is stored
	claims   map[string]knownClaim // claims that are known once everything is stored
	kept     []byte                // the text of held.json as it was read
}

func newIntake() *intake {
	return &intake{said: make(map[string][]eventInfo), imported: make(map[string]string),
		claims: make(map[string]knownClaim)}
}

// take receives what a peer has, and saves what is held. Documents that are stored already change
// nothing, so an interrupted exchange can be repeated.
func (x *exchange) take(ctx ctx) error {
	c := newIntake()
	if err := x.peer.collect(ctx, c); err != nil {
		return err
	}
	results, err := x.importAll(ctx, c)
	if err != nil {
		return err
	}
	x.hold(c, results)
	if err := x.peer.extend(ctx, c); err != nil || x.DryRun {
		return err
	}
	for writer, all := range c.said {
		for _, s := range all {
			if !x.refused[writer] {
				c.note(s)
			}
		}
	}
	if err := x.takeEffects(ctx, c); err != nil {
		return err
	}
	return x.peer.keep(ctx, c)
}

// hold counts what is new here, and holds the documents that can be stored later.
func (x *exchange) hold(c *intake, results []handoff.Result) {
	waiting := []heldDocument{}
	for i, r := range results {
		if x.receives(r) || r.Err == nil || len(c.held.Documents) == 0 || r.Err == errPruned {
			continue // neither a parcel nor what was pruned here is held
		}
		d := c.held.Documents[i]
		isHeld := func(w heldDocument) bool { return w.ID == d.ID }
		if (i < c.waited || !x.refused[d.Writer]) && !slices.ContainsFunc(waiting, isHeld) && !x.has(d.ID) {
			d.refuse(c.sources[i], r.Err)
			waiting = append(waiting, d)
			if why := firstLine(r.Err); !slices.Contains(x.got.Why, why) {
				x.got.Why = append(x.got.Why, why)
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

// has reports whether a handoff is stored here, from any source.
func (x *exchange) has(id string) bool {
	_, err := x.Find(id)
	return err == nil
}

// importAll stores the documents, except those that the peer refuses.
func (x *exchange) importAll(ctx ctx, c *intake) (results []handoff.Result, err error) {
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
func (c *intake) add(d heldDocument, s handoff.Source) {
	c.held.Documents, c.sources = append(c.held.Documents, d), append(c.sources, s)
}

// load parses a JSON file, and returns its text too.
func load(d *disk.Dir, name string, v any) (text []byte, err error) {
	if text, err = d.ReadFile(name, maxHeld); err == nil {
		err = json.Unmarshal(text, v)
	}
	return text, err
}

// save replaces a JSON file durably, unless its text is unchanged.
func save(d *disk.Dir, name string, was []byte, v any) error {
	text, err := json.Marshal(v)
	if text = append(text, '\n'); err != nil || bytes.Equal(text, was) {
		return err
	}
	return d.ReplaceNow(name, text, 0o600)
}

// firstLine returns the first line of an error, for a report.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
