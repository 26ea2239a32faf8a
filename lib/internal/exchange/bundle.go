package exchange

import (
	"bytes"
	"context"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Bundle returns a batch with the documents of handoffs; with state, also the facts and turns about them, in their
// order. The error is fault.ErrIntegrity if a file is not whole.
func (x *Exchange) Bundle(ids []string, withState bool) ([]byte, error) {
	look, err := x.At.Look(false)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for _, id := range ids {
		line := x.documentLine(id, look)
		if line == nil {
			return nil, fault.Integrity("run `handoff verify`", "the document of %s is missing or was changed", id)
		}
		lines = append(lines, line)
	}
	if withState {
		wanted := map[string]bool{}
		for _, id := range ids {
			wanted[id] = true
		}
		err = x.At.Events(func(e log.Event) {
			isWanted := wanted[e.Payload.ID] && (log.IsTurn(e.Type) || isFact(e.Type))
			if e.Type == log.Seal {
				isWanted = slices.ContainsFunc(e.Payload.Events, func(id string) bool { return wanted[id] })
			}
			if isWanted {
				wanted[e.ID()], lines = true, append(lines, e.Line())
			}
		})
	}
	return newBatch(look.Count, look.At.Hash, lines), err
}

// Pack returns a batch with documents that are not stored.
func (x *Exchange) Pack(docs []store.Document) ([]byte, error) {
	look, err := x.At.Look(false)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for _, d := range docs {
		text, err := d.Text()
		if err != nil {
			return nil, err
		}
		line, err := document{d.HandoffID, string(text), string(d.Signature), d.Source}.line()
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return newBatch(look.Count, look.At.Hash, lines), nil
}

// Import stores what a bundle has, with one change: all its documents, and with state what others said about them.
// outcomes has the order of ids. A document that may not be stored is fault.ErrDenied, and a malformed line
// fault.ErrInvalid: then nothing is stored. With isDry nothing is stored at all.
func (x *Exchange) Import(ctx context.Context, lines [][]byte, withState, isDry bool) (ids []string,
	outcomes []store.Outcome, err error) {
	x.sent, x.report = map[string]bool{}, Report{}
	door, err := newDoor(x.At)
	if err != nil {
		return nil, nil, err
	}
	var docs []store.Document
	a := arrival{}
	for i, text := range lines {
		r, ok := parseAny(bytes.TrimSuffix(text, []byte("\n")))
		if !ok {
			return nil, nil, fault.Invalid("get the bundle again", "line %d of the bundle is malformed", i+2)
		}
		if r.document == nil {
			a.lines = append(a.lines, r)
			continue
		}
		d, err := x.imported(door, r.document)
		if err != nil {
			return nil, nil, err
		}
		ids, docs = append(ids, r.document.ID), append(docs, *d)
	}
	if isDry {
		return ids, nil, nil
	}
	outcomes, err = x.At.Write(ctx, docs, func(*store.Change) {}, func(c *store.Change) error {
		room := facts.NewRoom(c.Facts)
		slices.SortStableFunc(a.lines, latestFirst)
		for _, r := range a.lines {
			h := c.Of(r.Payload.ID)
			if !withState || h == nil && r.Type != log.Seal || h != nil && h.Pruned {
				continue
			}
			if _, comesIn := room.Admit(h, r.Pending, r.id); comesIn {
				c.AddEvent(r.Pending, &log.Here{Bundle: true})
			}
		}
		return nil
	})
	return ids, outcomes, err
}

// parseAny parses a line of a bundle, which may be of any log.
func parseAny(text []byte) (received, bool) {
	if r, ok := parseLine("w-0000000000000000", text); ok {
		return r, true
	}
	p, ok := log.ParseLine(text)
	if !ok || !log.IsTurn(p.Type) || !form.IsID(p.Payload.ID) {
		return received{}, false
	}
	return parseLine(turnLog(p.Payload.ID), text)
}

// imported returns a document of a bundle as one to store.
func (x *Exchange) imported(door *door, d *document) (*store.Document, error) {
	parsed, err := d.parse()
	if err != nil {
		return nil, err
	}
	verification := ""
	if h := door.look.Of(d.ID); h == nil || h.Pruned || h.Lost { // what is here was let in before
		if verification, err = door.judge(d, parsed); err != nil {
			return nil, err
		}
	}
	return x.received(d, parsed, verification, &log.Here{Bundle: true}), nil
}
