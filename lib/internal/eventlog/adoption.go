package eventlog

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// An Adoption counts what the store took over without events, when its audit log was missing.
type Adoption struct{ Rows, Marks, Tokens int }

// add adds the counts of an event. An event without counts of marks and tokens allows any number of them.
func (a *Adoption) add(r Recovered) {
	if r.AdoptedRows == 0 {
		return
	}
	any := math.MaxInt32
	a.Rows += r.AdoptedRows
	a.Marks = min(a.Marks+*cmp.Or(r.AdoptedMarks, &any), any)
	a.Tokens = min(a.Tokens+*cmp.Or(r.AdoptedTokens, &any), any)
}

// Event returns the event of an adoption.
func (a Adoption) Event(reason, keptAs string) Pending {
	return Pending{Type: TypeRecovered, Payload: Recovered{Reason: reason, KeptAs: keptAs, AdoptedRows: a.Rows,
		AdoptedMarks: &a.Marks, AdoptedTokens: &a.Tokens}}
}

// Covers reports whether found exceeds none of the adopted numbers.
func (a Adoption) Covers(found Adoption) bool {
	return found.Rows <= a.Rows && found.Marks <= a.Marks && found.Tokens <= a.Tokens
}

// Count adds a row without a write event, and those of its marks that have no event.
func (a *Adoption) Count(row index.Row, logged ...Handoff) {
	a.Rows++
	for _, m := range row.Marks() {
		if !slices.ContainsFunc(logged, func(h Handoff) bool { return h.HasMark(m) }) {
			a.Marks++
		}
	}
}
