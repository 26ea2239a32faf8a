package cli

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A Filter holds the flags that choose handoffs.
type Filter struct {
	Unread, All bool
	State       string `one:"states"`
	Orphaned    bool
	To          string
	Mine        bool   `not:"to"`
	Operator    string `needs:"mine"`
	Origin
}

// An Origin holds the flags that choose handoffs by sender, topic, tag, branch and time.
type Origin struct {
	Here                           bool
	From, Topic, Tag, Since, Until string
}

// Chosen returns the filter that the flags describe.
func (f *Filter) Chosen(a *App) (_ handoff.Filter, err error) {
	chosen := handoff.Filter{Unread: f.Unread, All: f.All, State: handoff.State(f.State),
		Orphaned: f.Orphaned, To: f.To, Here: f.Here, From: f.From, Topic: f.Topic, Tag: f.Tag}
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
		if chosen.Since, err = handoff.ParseSince(f.Since, time.Now()); err != nil {
			return chosen, err
		}
	}
	if f.Until != "" {
		chosen.Until, err = handoff.ParseBefore(f.Until, time.Now())
	}
	return chosen, err
}
