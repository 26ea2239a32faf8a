package bundle

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Counts counts the lines of each kind.
type Counts struct {
	Handoffs int `json:"handoffs"`
	Marks    int `json:"read_marks"`
	Tokens   int `json:"consumed_tokens"`
	Signed   int `json:"signed,omitempty"` // handoffs that the export signed
}

// With selects what a bundle contains besides documents and their stored signatures.
type With struct {
	State bool // read marks and consumed tokens

	// Sign signs the unsigned handoffs of Author. The signatures are only in the bundle. nil signs none.
	Sign   func(text []byte) (armored []byte, err error)
	Author string
}

// Export writes a bundle of the handoffs of entries from List. Each is proven as Read does. If one cannot be proven,
// Export returns the error, and the bundle is incomplete. More than an import accepts is handoff.ErrInvalid.
func Export(s *handoff.Store, entries []handoff.Entry, with With, to io.Writer) (Counts, error) {
	byID := func(a, b handoff.Entry) int { return strings.Compare(a.ID, b.ID) }
	entries = slices.SortedFunc(slices.Values(entries), byID)
	entries = slices.CompactFunc(entries, func(a, b handoff.Entry) bool { return a.ID == b.ID })
	e := export{Store: s, With: with, entries: entries}
	if err := e.collect(with.State); err != nil {
		return Counts{}, err
	}
	if err := checkLines(len(entries) + len(e.state) + 2); err != nil { // with the header and the end
		return Counts{}, err
	}
	writer, err := s.Exchange().Writer()
	if err != nil {
		return Counts{}, err
	}
	w, err := NewWriter(to, Header{Created: e.newest(), Origin: Origin{writer}})
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

// Split divides entries so that the bundle of each part has at most lines lines, such as [MaxLines]. The order is that
// of the bundles.
func Split(s *handoff.Store, entries []handoff.Entry, withState bool, lines int) (parts [][]handoff.Entry, err error) {
	e := export{Store: s, entries: slices.SortedFunc(slices.Values(entries), func(a, b handoff.Entry) int {
		return strings.Compare(a.ID, b.ID)
	})}
	if err := e.collect(withState); err != nil {
		return nil, err
	}
	size := make(map[string]int)
	for _, l := range e.state {
		size[l.place().of]++
	}
	room := 0
	for _, entry := range e.entries {
		n := 1 + size[entry.ID]
		if room < n {
			parts, room = append(parts, nil), lines-2 // without the header and the end
		}
		parts[len(parts)-1], room = append(parts[len(parts)-1], entry), room-n
	}
	return parts, nil
}

// An export is the state of one Export.
type export struct {
	*handoff.Store
	With
	entries []handoff.Entry
	seen    func(id string) string // returns when a handoff reached the store
	state   []Line                 // read marks and consumed tokens
	signed  int
}

// collect reads everything but the documents.
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
		if chosen[c.HandoffID] {
			e.state = append(e.state, Line{Consumed: &c})
		}
	}
	slices.SortStableFunc(e.state, func(a, b Line) int { return a.place().compare(b.place()) })
	return err
}

// newest returns the newest time in the bundle.
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

// documents proves and writes the handoffs. A handoff that cannot be proven ends the export, since a reader would
// refuse it. A handoff that was pruned meanwhile is left out.
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

// signatures returns the armored signatures of a handoff, good or bad: the import judges them again.
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
