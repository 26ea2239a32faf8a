package handoff

import (
	"math"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// An adoption counts what the store took over without its events, where the audit log was missing.
type adoption struct{ rows, marks, tokens int }

// add takes in what an event says. Events that do not count marks and tokens allow any number of them.
func (a *adoption) add(r recoveredPayload) {
	if r.AdoptedRows == 0 {
		return
	}
	a.rows += r.AdoptedRows
	for _, part := range []struct {
		sum   *int
		count *int
	}{{&a.marks, r.AdoptedMarks}, {&a.tokens, r.AdoptedTokens}} {
		if part.count == nil {
			*part.sum = math.MaxInt32
		} else {
			*part.sum += *part.count
		}
	}
}

// event says what was adopted, and why.
func (a adoption) event(reason, keptAs string) event {
	return event{eventRecovered, recoveredPayload{Reason: reason, KeptAs: keptAs, AdoptedRows: a.rows, AdoptedMarks: &a.marks, AdoptedTokens: &a.tokens}}
}

// covers reports whether no more is without events than was adopted.
func (a adoption) covers(found adoption) bool {
	return found.rows <= a.rows && found.marks <= a.marks && found.tokens <= a.tokens
}

// count adds a row without a write event, and its marks without events.
func (a *adoption) count(row index.Row, logged []index.Mark) {
	a.rows++
	for _, m := range row.Marks() {
		if !slices.Contains(logged, m) {
			a.marks++
		}
	}
}

// mayLack reports whether a handoff and what became of it may have no events: if it was adopted, its write has none.
func (f *logFacts) mayLack(id string) bool {
	_, logged := f.writes[id]
	return f.adopted.rows > 0 && !logged
}

// checkAdoption looks for more without events than was adopted. Which of it was not, nothing tells.
func (c *check) checkAdoption() {
	if c.log.adopted.rows == 0 || c.log.bad != "" {
		return
	}
	var found adoption
	for id, row := range c.rows {
		if _, pending := c.promised.writes[id]; c.log.mayLack(id) && !pending {
			found.count(row.Row, slices.Concat(c.log.marks[id], c.promised.marks[id]))
		}
	}
	for _, line := range (&Ledger{text: c.ledgerText}).lines() {
		consumed, ok := parseConsumption(line)
		_, logged := c.log.resumes[consumed.Token]
		_, pending := c.promised.resumes[consumed.Token]
		if ok && !logged && !pending && c.log.mayLack(consumed.HandoffID) {
			found.tokens++
		}
	}
	if known := c.log.adopted; !known.covers(found) {
		c.fault(logName, remedyRepair, "lacks the events of %s, %s and %s, of which %d, %d and %d were taken over without: its end may have been cut",
			fault.Count(found.rows, "handoff"), fault.Count(found.marks, "read mark"), fault.Count(found.tokens, "consumed token"),
			min(found.rows, known.rows), min(found.marks, known.marks), min(found.tokens, known.tokens))
	}
}

// isCovered reports whether what good documents and the ledger have without events was adopted.
func (m *mending) isCovered() bool {
	facts := m.found.log
	var found adoption
	for id, row := range m.stored {
		if facts.mayLack(id) {
			found.count(row, facts.marks[id])
		}
	}
	for _, c := range m.consumed {
		if _, logged := facts.resumes[c.Token]; !logged && facts.mayLack(c.HandoffID) {
			found.tokens++
		}
	}
	return facts.adopted.covers(found)
}
