package run

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// An Entry is a stored record with the id of its handoff, "" when it is not stored.
type Entry struct {
	HandoffID string
	Record    Record
}

// An Origin says which record an item was last named in.
type Origin struct {
	TaskID    string `json:"task_id"`
	HandoffID string `json:"handoff_id,omitempty"`
	CreatedAt string `json:"created_at"`
}

// origin returns where an item of the record comes from.
func (e Entry) origin() Origin {
	return Origin{e.Record.TaskID, e.HandoffID, e.Record.CreatedAt}
}

// A CarriedAssumption lives on: no later record promoted or refuted it.
type CarriedAssumption struct {
	Number int `json:"number"` // from 1, the longest carried first, by which a later record may name it
	Assumption
	Origin
}

// A CarriedDebt lives on: no later record resolved it.
type CarriedDebt struct {
	Number int `json:"number"` // as that of a CarriedAssumption
	Debt
	Origin
}

// Carry returns the assumptions and the debt that the records of one project, the newest first, leave to
// the next run, the longest carried first. Items are the same when their text is; the latest record
// that names one decides its state.
func Carry(newestFirst []Entry) ([]CarriedAssumption, []CarriedDebt) {
	var assumptions carried[CarriedAssumption]
	var debt carried[CarriedDebt]
	// The oldest first: the latest record that names an item has the last word.
	for _, e := range slices.Backward(newestFirst) {
		for _, a := range e.Record.Assumptions {
			assumptions.name(a.Statement, a.State != "promoted" && a.State != "refuted", CarriedAssumption{0, a, e.origin()})
		}
		for _, d := range e.Record.ContextDebt {
			debt.name(d.Summary, d.State != "resolved", CarriedDebt{0, d, e.origin()})
		}
	}
	return assumptions.alive(func(a *CarriedAssumption, n int) { a.Number = n }), debt.alive(func(d *CarriedDebt, n int) { d.Number = n })
}

// OpenSteps returns the next steps of one project that no later record did, the longest open first: a
// completed action with the text of a step closes it.
func OpenSteps(newestFirst []Entry) []OriginStep {
	var steps carried[OriginStep]
	for _, e := range slices.Backward(newestFirst) {
		for _, a := range e.Record.CompletedActions {
			steps.name(a.Summary, false, OriginStep{})
		}
		for _, s := range e.Record.NextSteps {
			steps.name(s.What, true, OriginStep{0, s, e.origin()})
		}
	}
	return steps.alive(func(s *OriginStep, n int) { s.Number = n })
}

// carried holds items by their text, in the order in which they came up.
type carried[T any] struct {
	order []string
	seen  map[string]bool // what is in order
	items map[string]T    // what lives on
}

// name enters an item that lives on, or ends it.
func (c *carried[T]) name(text string, lives bool, item T) {
	key := oneSpace(text)
	if c.items == nil {
		c.items, c.seen = map[string]T{}, map[string]bool{}
	}
	if !lives {
		delete(c.items, key)
		return
	}
	if !c.seen[key] {
		c.order = append(c.order, key)
	}
	c.seen[key] = true
	c.items[key] = item
}

// alive returns what no later record ended. An item that was ended and named again has its old place.
func (c *carried[T]) alive(count func(item *T, n int)) []T {
	all := []T{}
	for _, key := range c.order {
		if item, ok := c.items[key]; ok {
			count(&item, len(all)+1)
			all = append(all, item)
		}
	}
	return all
}

// A Carried is what earlier records of a project leave to a run.
type Carried struct {
	Assumptions []CarriedAssumption
	Debt        []CarriedDebt
	Steps       []OriginStep
}

// Open returns the texts of what is open, each list in the order of its numbers, by the names that the table of
// fields has for them.
func (c Carried) Open() map[string][]string {
	open := map[string][]string{}
	for _, a := range c.Assumptions {
		open["assumptions"] = append(open["assumptions"], a.Statement)
	}
	for _, d := range c.Debt {
		open["debt"] = append(open["debt"], d.Summary)
	}
	for _, s := range c.Steps {
		open["steps"] = append(open["steps"], s.What)
	}
	return open
}

// CarriedInto returns what the records of the same project carry into a run, as of its created_at. The
// record itself does not count, so that one which is written again is sealed as it was before.
func CarriedInto(newestFirst []Entry, r Record) Carried {
	until, _ := form.Instant(r.CreatedAt)
	earlier := slices.DeleteFunc(slices.Clone(newestFirst), func(e Entry) bool {
		at, ok := form.Instant(e.Record.CreatedAt)
		itself := e.Record.TaskID == r.TaskID && at.Equal(until)
		return e.Record.ProjectID != r.ProjectID || !ok || at.After(until) || itself
	})
	var c Carried
	c.Assumptions, c.Debt = Carry(earlier)
	c.Steps = OpenSteps(earlier)
	return c
}

// Assumptions returns the carried assumptions without their origin, as a Review takes them.
func Assumptions(all []CarriedAssumption) []Assumption {
	plain := make([]Assumption, 0, len(all))
	for _, a := range all {
		plain = append(plain, a.Assumption)
	}
	return plain
}
