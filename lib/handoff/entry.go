package handoff

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An Entry is a handoff as the store lists it. ID, File, From, To, Topic, Time and Tags are those of the document; only
// Read proves them. ReadBy has the operators who have read it, in the order of their times.
type Entry struct {
	ID, File, From, To, Topic, Time string
	Tags                            []string
	ReadBy                          []Mark

	of    *facts.Handoff
	life  *facts.Life
	state State
}

// A Mark records that an operator has read a handoff, and when.
type Mark struct {
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"`
}

// IsTo reports whether the handoff is addressed to an operator.
func (e Entry) IsTo(operator string) bool { return document.IsTo(e.To, operator) }

// UnreadBy reports whether an operator has not read the handoff; "" means its recipient. One to Next is unread until
// the first operator has read it.
func (e Entry) UnreadBy(operator string) bool {
	if e.To == Next {
		return len(e.ReadBy) == 0
	}
	operator = cmp.Or(operator, e.To)
	return !slices.ContainsFunc(e.ReadBy, func(m Mark) bool { return m.Operator == operator })
}

// Row returns the entry as a row of INDEX.md.
func (e Entry) Row() string { return index.Row(e.of, e.life) }

// stamp formats a time of an event, to the second; "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// entry returns a handoff of a look.
func entry(v facts.View, h *facts.Handoff) Entry {
	l := v.Life(h)
	e := Entry{ID: h.ID, File: h.File, From: h.From, To: h.To, Topic: h.Topic, Time: h.Time, Tags: h.Tags,
		of: h, life: l, state: v.State(h, l)}
	for _, m := range l.Reads {
		e.ReadBy = append(e.ReadBy, Mark{m.Operator, stamp(m.At)})
	}
	return e
}

// look returns what the store says now; with part, at least what needs work or was touched in the last week.
func (s *Store) look(part bool) (*store.Look, error) { return s.at.Look(part) }

// compareTimes compares two ts_utc by their instants.
func compareTimes(a, b string) int {
	if len(a) == len(b) { // all are in UTC
		return strings.Compare(a, b)
	}
	x, _ := form.Instant(a)
	y, _ := form.Instant(b)
	return cmp.Or(x.Compare(y), strings.Compare(a, b))
}

// A State is the state of a handoff, such as StateUnread. States are derived, never stored.
type State = facts.State

// The states of a handoff. If several apply, the first of this list counts:
// archived, withdrawn, done, superseded, expired, taken, read, unread.
const (
	StateUnread     = facts.Unread     // its recipient has not marked it as read
	StateRead       = facts.Read       // its recipient has marked it as read
	StateTaken      = facts.Taken      // it has a holder
	StateDone       = facts.Done       // it is finished
	StateSuperseded = facts.Superseded // it has a successor
	StateExpired    = facts.Expired    // its expiry time has passed
	StateArchived   = facts.Archived   // it is hidden
	StateWithdrawn  = facts.Withdrawn  // its sender took it back before it was read
)

// States returns all states, in the order in which a handoff usually reaches them.
func States() []State { return facts.States }

// isStale reports whether a handoff in this state needs no work, although it is not done: @ never means it.
func isStale(state State) bool {
	return state == StateSuperseded || state == StateExpired || state == StateArchived || state == StateWithdrawn
}
