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
}

// Export writes a bundle of the handoffs of entries from List. withState adds their read marks and consumed tokens.
// Each handoff is proven as Read does. If one cannot be proven, Export returns the error, and the bundle is incomplete.
// More than an import accepts is handoff.ErrInvalid.
func Export(s *handoff.Store, entries []handoff.Entry, withState bool, to io.Writer) (Counts, error) {
	byID := func(a, b handoff.Entry) int { return strings.Compare(a.ID, b.ID) }
	entries = slices.SortedFunc(slices.Values(entries), byID)
	entries = slices.CompactFunc(entries, func(a, b handoff.Entry) bool { return a.ID == b.ID })
	e := export{Store: s, entries: entries}
	if err := e.collect(withState); err != nil {
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
	counts := Counts{Handoffs: len(e.entries)}
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

// An export is the state of one Export.
type export struct {
	*handoff.Store
	entries []handoff.Entry
	state   []Line // read marks and consumed tokens
}

// collect reads everything but the documents.
func (e *export) collect(withState bool) (err error) {
	if !withState {
		return nil
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
		note(entry.Time)
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
			err = w.Put(Line{Handoff: &Handoff{got.Entry.ID, string(got.Text), signatures}})
		}
		return err == nil
	})
	e.entries = slices.DeleteFunc(e.entries, func(entry handoff.Entry) bool { return pruned[entry.ID] })
	e.state = slices.DeleteFunc(e.state, func(l Line) bool { return pruned[l.place().of] })
	return cmp.Or(failed, err)
}

// signatures returns the armored signature of a handoff, good or bad: the import judges it again.
func (e *export) signatures(got handoff.Stored) ([]string, error) {
	if got.Signature.State == handoff.SignatureUnsigned {
		return nil, nil
	}
	text, err := e.Exchange().SignatureText(got.Entry.ID)
	return []string{text}, err
}
