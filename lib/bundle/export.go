package bundle

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Counts says how many of each kind of lines there are.
type Counts struct {
	Handoffs int `json:"handoffs"`
	Marks    int `json:"read_marks"`
	Tokens   int `json:"consumed_tokens"`
	Signed   int `json:"signed,omitempty"` // by the export
}

// With says what a bundle has beside documents and the signatures that are stored.
type With struct {
	State bool // read marks and consumed tokens

	// Sign signs the handoffs of Author that have no signature, in the bundle alone; nil signs none.
	Sign   func(text []byte) (armored []byte, err error)
	Author string
}

// Export writes a bundle of the handoffs of entries that List gave, each proven as Read does. A
// handoff that cannot be proven ends it with an error, and with a bundle that is cut, as does more than
// any import takes: handoff.ErrInvalid.
func Export(s *handoff.Store, entries []handoff.Entry, with With, to io.Writer) (Counts, error) {
	byID := func(a, b handoff.Entry) int { return strings.Compare(a.ID, b.ID) }
	entries = slices.SortedFunc(slices.Values(entries), byID)
	entries = slices.CompactFunc(entries, func(a, b handoff.Entry) bool { return a.ID == b.ID })
	e := export{Store: s, With: with, entries: entries}
	if err := e.collect(with.State); err != nil {
		return Counts{}, err
	}
	if err := checkLines(len(entries) + len(e.state) + 2); err != nil { // the first and the end
		return Counts{}, err
	}
	writer, err := s.Exchange().Writer()
	if err != nil {
		return Counts{}, err
	}
	w, err := NewWriter(to, Header{e.newest(), writer})
	if err != nil {
		return Counts{}, err
	}
	if err := e.documents(w); err != nil {
		return Counts{}, err
	}
	counts := Counts{Handoffs: len(e.entries), Signed: e.signed}
	for _, l := range e.state {
		if err := w.Put(l); err != nil {
			return Counts{}, err
		}
		if l.Read != nil {
			counts.Marks++
		} else {
			counts.Tokens++
		}
	}
	return counts, w.Close()
}

// An export is one bundle that is being written.
type export struct {
	*handoff.Store
	With
	entries []handoff.Entry
	seen    func(id string) string // when a handoff came into the store
	state   []Line                 // read marks and consumed tokens
	signed  int
}

// collect finds out all that is not in the documents.
func (e *export) collect(withState bool) (err error) {
	if e.seen, err = e.Exchange().FirstSeen(); err != nil || !withState {
		return err
	}
	chosen := make(map[string]bool, len(e.entries))
	for _, entry := range e.entries {
		chosen[entry.ID] = true
		for _, m := range entry.Marks() {
			e.state = append(e.state, Line{Read: &Read{entry.ID, m.Operator, m.Time}})
		}
	}
	tokens, err := e.Exchange().Consumptions()
	for _, c := range tokens {
		if chosen[c.HandoffID] && !c.Act().IsVerdict() {
			e.state = append(e.state, Line{Consumed: &c})
		}
	}
	slices.SortStableFunc(e.state, func(a, b Line) int { return a.place().compare(b.place()) })
	return err
}

// newest is the newest time that the bundle tells of.
func (e *export) newest() string {
	newest := "1970-01-01T00:00:00Z"
	note := func(at string) { newest = max(newest, at) }
	for _, entry := range e.entries {
		note(cmp.Or(e.seen(entry.ID), entry.Time))
	}
	for _, l := range e.state {
		if l.Read != nil {
			note(l.Read.Time)
		} else {
			note(l.Consumed.Time)
		}
	}
	return newest
}

// documents writes the handoffs, each proven first. One that cannot be ends the export: a bundle holds
// nothing that its reader would refuse. One that was pruned since it was listed is left out.
func (e *export) documents(w *Writer) (err error) {
	pruned := make(map[string]bool)
	failed := e.LoadEach(e.entries, func(got handoff.Stored, fault error) bool {
		if errors.Is(fault, handoff.ErrInvalid) {
			pruned[got.Entry.ID] = true
			return true
		}
		var signatures []string
		if err = fault; err == nil {
			signatures, err = e.signatures(got)
		}
		if err == nil {
			err = w.Put(Line{Handoff: &Handoff{got.Entry.ID, string(got.Text), signatures, e.seen(got.Entry.ID)}})
		}
		return err == nil
	})
	e.entries = slices.DeleteFunc(e.entries, func(entry handoff.Entry) bool { return pruned[entry.ID] })
	e.state = slices.DeleteFunc(e.state, func(l Line) bool { return pruned[l.place().of] })
	return cmp.Or(failed, err)
}

// signatures returns the armored signature of a handoff, whatever it is worth here: who imports judges it
// again.
func (e *export) signatures(got handoff.Stored) ([]string, error) {
	switch {
	case got.Signature.State != handoff.SignatureUnsigned:
		text, err := e.Exchange().SignatureText(got.Entry.ID)
		return []string{text}, err
	case e.With.Sign == nil || got.Entry.From != e.Author:
		return nil, nil
	}
	text, err := e.With.Sign(got.Text)
	e.signed++
	return []string{string(text)}, err
}
