package life

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A State is how far a handoff has come.
type State string

// The states. Where several hold, the first of this list counts.
const (
	Archived   State = "archived"
	Withdrawn  State = "withdrawn" // by its sender, before anybody had read or taken it
	Done       State = "done"
	Superseded State = "superseded" // another handoff takes its place
	Expired    State = "expired"
	Awaiting   State = "awaiting" // approval, or rejected
	Taken      State = "taken"    // by somebody who has not ended it
	Read       State = "read"     // by its recipient
	Unread     State = "unread"   // by its recipient, who may have been told of it
)

// States are all states, in the order in which a handoff comes to them as a rule.
var States = []State{Unread, Read, Taken, Awaiting, Done, Superseded, Expired, Archived, Withdrawn}

// LeavesUnread reports whether a handoff in the state is not shown as unread, whoever has read it: it
// is over, or somebody has it. It is never marked as read for that.
func (s State) LeavesUnread() bool { return s == Taken || s.IsOver() }

// IsOver reports whether nothing is to be done any more with a handoff in the state.
func (s State) IsOver() bool {
	switch s {
	case Archived, Withdrawn, Done, Superseded, Expired:
		return true
	}
	return false
}

// IsDerived reports whether only a handoff of which facts are known can be in the state.
func (s State) IsDerived() bool {
	switch s {
	case "", Read, Unread, Awaiting: // which a policy may say of any
		return false
	}
	return true
}

// State returns the state of the handoff of a row.
func (f *Facts) State(row index.Row, now time.Time) State {
	h := f.Of(row.ID)
	if h.Archive.Holds().IsDone() {
		return Archived
	}
	return f.beneath(h, row, now)
}

// isWithdrawn reports whether the sender of a handoff to somebody else has ended it before its recipient read it, and
// before anybody else took it.
func (h Handoff) isWithdrawn(row index.Row) bool {
	return h.Done.IsDone() && h.Done.Operator == row.From && row.From != row.To && row.UnreadBy("")
}

// beneath is State for what would be if the handoff were not archived.
func (f *Facts) beneath(h Handoff, row index.Row, now time.Time) State {
	switch {
	case h.isWithdrawn(row):
		return Withdrawn
	case h.Done.IsDone():
		return Done
	case len(f.successors(h, row)) > 0:
		return Superseded
	case h.IsExpired(now):
		return Expired
	case f.isAwaiting(row.ID, h, row.From, row.To):
		return Awaiting
	case h.Take.Holds().IsDone():
		return Taken
	case !row.UnreadBy(""):
		return Read
	}
	return Unread
}
