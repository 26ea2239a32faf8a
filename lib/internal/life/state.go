package life

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A State is the state of a handoff.
type State string

// The states. If several apply, the first of this list counts.
const (
	Archived   State = "archived"
	Withdrawn  State = "withdrawn" // by its sender, before anyone read or took it
	Done       State = "done"
	Superseded State = "superseded" // replaced by another handoff
	Expired    State = "expired"
	Taken      State = "taken"  // and not done
	Read       State = "read"   // by its recipient
	Unread     State = "unread" // by its recipient, who may have been shown it
)

// States lists all states, in the usual order.
var States = []State{Unread, Read, Taken, Done, Superseded, Expired, Archived, Withdrawn}

// LeavesUnread reports whether a handoff in the state is not shown as unread, even if its recipient has not
// read it: it is taken or closed.
func (s State) LeavesUnread() bool { return s == Taken || s.IsClosed() }

// IsClosed reports whether a handoff in this state needs no more work.
func (s State) IsClosed() bool {
	switch s {
	case Archived, Withdrawn, Done, Superseded, Expired:
		return true
	}
	return false
}

// State returns the state of the handoff of a row.
func (f *Facts) State(row index.Row, now time.Time) State {
	h := f.Of(row.ID)
	if h.Archive.Holds().IsDone() {
		return Archived
	}
	return f.activeState(h, row, now)
}

// IsWithdrawn reports whether a handoff that an operator finished was withdrawn: by its sender, before anyone read it.
func IsWithdrawn(row index.Row, by string) bool {
	return by == row.From && !row.IsTo(by) && row.UnreadBy("")
}

// activeState is State without archiving.
func (f *Facts) activeState(h Handoff, row index.Row, now time.Time) State {
	switch {
	case h.Done.IsDone() && IsWithdrawn(row, h.Done.Operator):
		return Withdrawn
	case h.Done.IsDone():
		return Done
	case len(f.successors(h, row)) > 0:
		return Superseded
	case h.IsExpired(now):
		return Expired
	case h.Take.Holds().IsDone():
		return Taken
	case !row.UnreadBy(""):
		return Read
	}
	return Unread
}
