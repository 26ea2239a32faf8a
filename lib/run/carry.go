package run

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// An Entry is a record with the id of its handoff, or "" if it is not stored.
type Entry struct {
	HandoffID string
	Record    Record
}

// An Origin is the record that last named an item.
type Origin struct {
	TaskID    string `json:"task_id"`
	HandoffID string `json:"handoff_id,omitempty"`
	CreatedAt string `json:"created_at"`
}

// origin returns the origin of items in the record.
func (e Entry) origin() Origin {
	return Origin{e.Record.TaskID, e.HandoffID, e.Record.CreatedAt}
}

// A CarriedAssumption is an assumption that no later record promoted or refuted.
type CarriedAssumption struct {
	Key string `json:"key"` // names it in a later record; see Key
	Assumption
	Origin
}

// A CarriedDebt is context debt that no later record resolved.
type CarriedDebt struct {
	Key string `json:"key"`
	Debt
	Origin
}

// Key returns six hex digits of the SHA-256 of a text. They do not depend on other open items.
func Key(text string) string { return jsontree.SHA256Hex([]byte(oneSpace(text)))[:6] }

// Carry returns the open items of one project, the oldest first. Items with the same text are the same item. The
// newest record that names an item determines its state. A completed action with the same text closes a step.
func Carry(newestFirst []Entry) Carried {
	var assumptions carried[CarriedAssumption]
	var debt carried[CarriedDebt]
	var steps carried[OriginStep]
	// The newest record decides, so begin with the oldest.
	for _, e := range slices.Backward(newestFirst) {
		r, from := e.Record, e.origin()
		for _, a := range r.Assumptions {
			isOpen := a.State != "promoted" && a.State != "refuted"
			assumptions.name(a.Statement, isOpen, CarriedAssumption{Key(a.Statement), a, from})
		}
		for _, d := range r.ContextDebt {
			debt.name(d.Summary, d.State != "resolved", CarriedDebt{Key(d.Summary), d, from})
		}
		for _, a := range r.CompletedActions {
			steps.name(a.Summary, false, OriginStep{})
		}
		for _, s := range r.NextSteps {
			steps.name(s.What, true, OriginStep{Key(s.What), s, from})
		}
	}
	return Carried{assumptions.alive(), debt.alive(), steps.alive()}
}

// carried holds items by their text, in order of their first appearance.
type carried[T any] struct {
	order []string
	items map[string]*T // nil for a closed item
}

// name adds an open item, or closes it.
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

// alive returns the open items. A reopened item has its old place.
func (c *carried[T]) alive() []T {
	all := []T{}
	for _, key := range c.order {
		if item := c.items[key]; item != nil {
			all = append(all, *item)
		}
	}
	return all
}

// A Carried holds the open items that earlier records of a project pass to a run.
type Carried struct {
	Assumptions []CarriedAssumption
	Debt        []CarriedDebt
	Steps       []OriginStep
}

// Open returns the texts of the open items by key, for each list by its name in the table of fields.
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

// CarriedInto returns the items that were open in the same project at the created_at of r. An earlier copy of r
// itself does not count, so that sealing it again gives the same result.
func CarriedInto(newestFirst []Entry, r Record) Carried {
	until, _ := form.Instant(r.CreatedAt)
	earlier := slices.DeleteFunc(slices.Clone(newestFirst), func(e Entry) bool {
		at, ok := form.Instant(e.Record.CreatedAt)
		itself := e.Record.TaskID == r.TaskID && at.Equal(until)
		return e.Record.ProjectID != r.ProjectID || !ok || at.After(until) || itself
	})
	return Carry(earlier)
}
