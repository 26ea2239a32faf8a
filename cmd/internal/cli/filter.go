package cli

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Filter holds the flags that choose handoffs.
type Filter struct {
	Unread, All bool
	State       string `one:"states"`
	To          string
	Mine        bool   `not:"to"`
	Operator    string `needs:"mine"`
	Origin
}

// An Origin holds the flags that choose handoffs by sender, topic, tag and time.
type Origin struct {
	From, Topic, Tag, Since string
}

// Chosen returns the filter that the flags describe.
func (f *Filter) Chosen(a *App) (_ handoff.Filter, err error) {
	chosen := handoff.Filter{Unread: f.Unread, All: f.All, State: handoff.State(f.State),
		To: f.To, From: f.From, Topic: f.Topic, Tag: f.Tag}
	if f.Mine {
		p, s, err := a.ProjectStore()
		if err == nil {
			chosen.To, err = a.Acting(p, s, f.Operator)
		}
		if err != nil {
			return chosen, err
		}
	}
	if f.Since != "" {
		chosen.Since, err = handoff.ParseSince(f.Since, time.Now())
	}
	return chosen, err
}
