package facts

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// A State is the state of a handoff.
type State string

// The states. If several apply, the first of this list counts.
const (
	Archived   State = "archived"
	Withdrawn  State = "withdrawn"
	Done       State = "done"
	Superseded State = "superseded"
	Expired    State = "expired"
	Taken      State = "taken"
	Read       State = "read"   // by its recipient
	Unread     State = "unread" // by its recipient
)

// States lists all states, in the order of a handoff's life.
var States = []State{Unread, Read, Taken, Done, Superseded, Expired, Archived, Withdrawn}

// IsClosed reports whether a handoff in this state needs no more work.
func (s State) IsClosed() bool { return s != Unread && s != Read && s != Taken }

// State returns the state of a handoff whose life is known.
func (v View) State(h *Handoff, l *Life) State {
	switch {
	case l.IsArchived:
		return Archived
	case l.End != nil && l.End.Type == log.Withdraw:
		return Withdrawn
	case l.End != nil:
		return Done
	case len(v.Superseders(h)) > 0:
		return Superseded
	case h.IsExpired(v.Now):
		return Expired
	case l.Holder != nil:
		return Taken
	case h.IsUnread(l, ""):
		return Unread
	}
	return Read
}

// IsUnread reports whether an operator has not read a handoff; "" means its recipient. One to [Next] is unread until
// the first operator has read it.
func (h *Handoff) IsUnread(l *Life, operator string) bool {
	if h.To == Next {
		return len(l.Reads) == 0
	}
	if operator == "" {
		operator = h.To
	}
	return !l.IsReadBy(operator)
}

// TimeFor returns the time for an event of an operator about a handoff to state now: the time of the view, or a
// microsecond after the latest that it follows or contradicts.
func (v View) TimeFor(h *Handoff, l *Life, kind, operator string) time.Time {
	at := v.Now.UTC().Truncate(time.Microsecond)
	follow := func(stated time.Time) {
		if t, hasEffect := v.TimeOf(h, stated); hasEffect && !t.Before(at) {
			at = t.Add(time.Microsecond)
		}
	}
	follow(h.at.Add(-time.Microsecond))
	if !l.freed.IsZero() {
		follow(l.freed)
	}
	isArchive := kind == log.Archive || kind == log.Unarchive
	for _, n := range h.Notes {
		if n.Operator == operator || isArchive {
			follow(n.At)
		}
	}
	for _, t := range h.Turns {
		if t.Operator == operator || isArchive {
			follow(t.At)
		}
	}
	return at
}
