package agent

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

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

// native returns the agent's name of an event, or "" if the agent cannot tell its model about it.
func (a Agent) native(e Event) string {
	if e == start {
		return a.get("event")
	}
	return a.get(string(e))
}

// A slot is a place for a hook of ours: one of our events, and the agent's name of the moment at which it runs.
type slot struct {
	event Event
	name  string
	group string // in settings that have only our hooks: the number of its group with that name, and of the hook in it
}

// slots returns the places for our hooks, in the order in which they are added.
func (a Agent) slots() (all []slot) {
	for _, e := range []Event{start, Prompt, Tool, idle} {
		if name := a.native(e); name != "" {
			all = append(all, slot{e, name, "0:0"})
		}
	}
	for _, name := range slices.Concat(a.words("event"), a.words("says"), a.words("end")) {
		sl := slot{Stop, name, "0:0"}
		if slices.ContainsFunc(all, func(other slot) bool { return other.name == name }) {
			sl.group = "1:0"
		}
		all = append(all, sl)
	}
	return all
}

// Hears returns when a session of the agent on this machine can hear of a new handoff, and when it cannot.
func (a Agent) Hears() (moments, not []string) {
	for _, m := range []struct {
		event Event
		words string
	}{{start, "at start"}, {Prompt, "at the next prompt"}, {Tool, "after a tool"}, {idle, "while it is idle"}} {
		if often := a.get("hears"); often != "" && m.event != idle {
			moments = []string{often}
		} else if a.native(m.event) != "" && (m.event != idle || a.lacksQueue(context.Background()) == nil) {
			moments = append(moments, m.words)
		} else {
			not = append(not, m.words)
		}
	}
	return moments, not
}

// drops reports whether the text of a session that starts for this reason does not reach the model.
func (a Agent) drops(source string) bool { return slices.Contains(a.words("drops"), source) }

// HasLoginShell reports whether the agent runs commands in a login shell, which can have another PATH.
func (a Agent) HasLoginShell() bool { return a.has("login") }

// wrap returns the output for an outcome at an event: JSON in the agent's envelope.
func (a Agent) wrap(e Event, o outcome) any {
	return fill(a.get("envelope"), func(part string) string {
		switch part {
		case "EVENT":
			return a.native(e)
		case "TEXT":
			return o.text
		case "NOTICE":
			return o.notice
		case "IDS":
			return strings.Join(o.ids, " ")
		}
		return part
	}).Plain()
}

// unwrap returns the text in the output of a hook. Only what wakes a session has no envelope. It is as strict as the
// strictest agent: an unknown key is an error, since Codex drops the whole output then.
func (a Agent) unwrap(e Event, output []byte) (text string, err error) {
	if !a.has("envelope") || e == idle {
		return string(output), nil
	}
	v, err := jsontree.Scan(output)
	form := fill(a.get("envelope"), func(part string) string { return strings.Replace(part, "EVENT", a.native(e), 1) })
	form.Walk("", nil, func(at string, _ *jsontree.Member, part *jsontree.Value) {
		switch said := v.At(at).Str(); part.Text {
		case "TEXT":
			text, part.Text = said, said
		case "NOTICE", "IDS":
			part.Text = said
		}
	})
	if err != nil || !reflect.DeepEqual(form.Plain(), v.Plain()) {
		return "", fmt.Errorf("the output is not the envelope of %s", a.Title)
	}
	return text, nil
}
