package txn

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// An AwaitingError says that nobody has approved a handoff that needs it, or that it was rejected. It
// wraps fault.ErrDenied.
type AwaitingError struct {
	ID       string
	Rejected eventlog.Deed // zero if it only waits
}

func (e *AwaitingError) Error() string {
	if e.Rejected.IsDone() {
		return fmt.Sprintf("%s was rejected by %s at %s, for good", e.ID, e.Rejected.Operator, e.Rejected.Time)
	}
	return e.ID + " awaits approval"
}

// Plain does not say by whom.
func (e *AwaitingError) Plain() string {
	if e.Rejected.IsDone() {
		return "the handoff was rejected, for good"
	}
	return "the handoff awaits approval"
}

// Hint says what to do next.
func (e *AwaitingError) Hint() string {
	if e.Rejected.IsDone() {
		return "ask the sender for another one"
	}
	return "somebody else than the sender, with the capability approve in the operators file, runs `handoff approve " + e.ID + "` on a terminal"
}

func (e *AwaitingError) Unwrap() error { return fault.ErrDenied }

// mayAct refuses to take, end or approve what was rejected.
func mayAct(a eventlog.Act, id string, l eventlog.Life) error {
	if l.Rejected.IsDone() && (a == eventlog.ActTake || a == eventlog.ActDone || a == eventlog.ActApprove) {
		return &AwaitingError{id, l.Rejected}
	}
	return nil
}

// CheckApproval refuses to who takes it now what was rejected, or needs an approval and has none.
func CheckApproval(l eventlog.Life, id string, needs bool) error {
	if needs && !l.Approved.IsDone() {
		return &AwaitingError{id, l.Rejected}
	}
	return mayAct(eventlog.ActTake, id, l)
}
