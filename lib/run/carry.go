package run

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
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
	Key string `json:"key"` // by which a later record may name it, see Key
	Assumption
	Origin
}

// A CarriedDebt lives on: no later record resolved it.
type CarriedDebt struct {
	Key string `json:"key"`
	Debt
	Origin
}

// Key returns six digits of the SHA-256 of a text, which stay its own whatever else is open.
func Key(text string) string { return jsontree.SHA256Hex([]byte(oneSpace(text)))[:6] }

// Carry returns the assumptions and the debt that the records of one project, the newest first, leave to
// the next run, the longest carried first. Items are the same when their text is; the latest record
// that names one decides its state.
func Carry(newestFirst []Entry) ([]CarriedAssumption, []CarriedDebt) {
	var assumptions carried[CarriedAssumption]
	var debt carried[CarriedDebt]
	// The oldest first: the latest record that names an item has the last word.
	for _, e := range slices.Backward(newestFirst) {
		for _, a := range e.Record.Assumptions {
			assumptions.name(a.Statement, a.State != "promoted" && a.State != "refuted", CarriedAssumption{Key(a.Statement), a, e.origin()})
		}
		for _, d := range e.Record.ContextDebt {
			debt.name(d.Summary, d.State != "resolved", CarriedDebt{Key(d.Summary), d, e.origin()})
		}
	}
	return assumptions.alive(), debt.alive()
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
			steps.name(s.What, true, OriginStep{Key(s.What), s, e.origin()})
		}
	}
	return steps.alive()
}

// carried holds items by their text, in the order in which they came up.
type carried[T any] struct {
	order []string
	items map[string]*T // nil for what was ended
}

// name enters an item that lives on, or ends it.
func (c *carried[T]) name(text string, lives bool, item T) {
	if c.items == nil {
		c.items = map[string]*T{}
	}
	key := oneSpace(text)
	if _, seen := c.items[key]; !seen {
		c.order = append(c.order, key)
	}
	if c.items[key] = &item; !lives {
		c.items[key] = nil
	}
}

// alive returns what no later record ended. An item that was ended and named again has its old place.
func (c *carried[T]) alive() []T {
	all := []T{}
	for _, key := range c.order {
		if item := c.items[key]; item != nil {
			all = append(all, *item)
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

// Open returns the texts of what is open by their keys, each list by the name that the table of fields has for it.
func (c Carried) Open() map[string]map[string]string {
	assumptions, debt, steps := map[string]string{}, map[string]string{}, map[string]string{}
	for _, a := range c.Assumptions {
		assumptions[a.Key] = a.Statement
	}
	for _, d := range c.Debt {
		debt[d.Key] = d.Summary
	}
	for _, s := range c.Steps {
		steps[s.Key] = s.What
	}
	return map[string]map[string]string{"assumptions": assumptions, "debt": debt, "steps": steps}
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
