package agent

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// fill returns a template of the table, a JSON value, with its strings replaced.
func fill(template string, replace func(text string) string) *jsontree.Value {
	v, _ := jsontree.Scan([]byte(template)) // a test parses every template
	v.Unplaced().Walk("", nil, func(_ string, _ *jsontree.Member, v *jsontree.Value) {
		if v.Kind == jsontree.String {
			v.Text = replace(v.Text)
		}
	})
	return v
}

// native returns the agent's name of an event, or "" if the agent has none, or cannot tell its model about it.
func (a Agent) native(e Event) string {
	switch e {
	case start:
		return a.get("event")
	case End:
		return a.get("end")
	}
	return a.get(string(e))
}

// A slot is a place for a hook of ours: one of our events, and the agent's name of the moment at which it runs.
type slot struct {
	event Event
	name  string
}

// slots returns the places for our hooks, in the order in which they are added.
func (a Agent) slots() (all []slot) {
	for _, e := range []Event{start, Prompt, Tool, End} {
		if name := a.native(e); name != "" {
			all = append(all, slot{e, name})
		}
	}
	return all
}

// drops reports whether the text of a session that starts for this reason does not reach the model.
func (a Agent) drops(source string) bool { return slices.Contains(a.words("drops"), source) }

// wrap returns the output at an event: JSON in the agent's envelope.
func (a Agent) wrap(e Event, text, notice string) any {
	return fill(a.get("envelope"), func(part string) string {
		switch part {
		case "EVENT":
			return a.native(e)
		case "TEXT":
			return text
		case "NOTICE":
			return notice
		}
		return part
	}).Plain()
}
