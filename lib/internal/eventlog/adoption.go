package eventlog

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// An Adoption counts what the store took over without its events, where the audit log was missing.
type Adoption struct{ Rows, Marks, Tokens int }

// add takes in what an event says. Events that do not count marks and tokens allow any number of them.
func (a *Adoption) add(r Recovered) {
	if r.AdoptedRows == 0 {
		return
	}
	any := math.MaxInt32
	a.Rows += r.AdoptedRows
	a.Marks = min(a.Marks+*cmp.Or(r.AdoptedMarks, &any), any)
	a.Tokens = min(a.Tokens+*cmp.Or(r.AdoptedTokens, &any), any)
}

// Event says what was adopted, and why.
func (a Adoption) Event(reason, keptAs string) Pending {
	return Pending{Type: TypeRecovered, Payload: Recovered{Reason: reason, KeptAs: keptAs, AdoptedRows: a.Rows, AdoptedMarks: &a.Marks, AdoptedTokens: &a.Tokens}}
}

// Covers reports whether no more is without events than was adopted.
func (a Adoption) Covers(found Adoption) bool {
	return found.Rows <= a.Rows && found.Marks <= a.Marks && found.Tokens <= a.Tokens
}

// Count adds a row without a write event, and its marks without events.
func (a *Adoption) Count(row index.Row, logged ...Handoff) {
	a.Rows++
	for _, m := range row.Marks() {
		if !slices.ContainsFunc(logged, func(h Handoff) bool { return h.HasMark(m) }) {
			a.Marks++
		}
	}
}
