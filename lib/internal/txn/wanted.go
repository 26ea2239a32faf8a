package txn

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// What is done once in all clones needs lines of the ledger to itself. The last of them is its own.
// Those before it keep out what must not be done elsewhere at the same time: who resumes from a handoff or
// ends it has taken it. Who ends a turn and who gives it back want the same claim.

// WantResume returns the lines that a resume needs. Its errors are those of [Session.Resume].
func (l *Ledger) WantResume(c eventlog.Consumption) ([]eventlog.Consumption, error) {
	life, err := l.mayResume(c)
	if err != nil || life.Take.Holds().IsDone() {
		return []eventlog.Consumption{c}, err
	}
	return []eventlog.Consumption{as(c, eventlog.ActTake, life.Take.N), c}, nil
}

// ErrNotHeld says that there is nothing to take back, as far as a store knows.
var ErrNotHeld = errors.New("nobody has it")

// WantAct returns the lines that an act needs, none if it was done before. Its errors are those of
// [Session.Act], and ErrNotHeld.
func (l *Ledger) WantAct(a eventlog.Act, c eventlog.Consumption) (want []eventlog.Consumption, err error) {
	life, err := l.Life(c.HandoffID)
	if err != nil {
		return nil, err
	}
	before, n, err := plan(a, c, life)
	if err == nil && n < 0 {
		err = ErrNotHeld
	}
	if err != nil || before.IsDone() {
		return nil, err
	}
	if a == eventlog.ActDone && !life.Take.Holds().IsDone() {
		want = append(want, as(c, eventlog.ActTake, n))
	}
	return append(want, as(c, a, n)), nil
}

// as returns a consumption as the n-th act of its kind on its handoff.
func as(c eventlog.Consumption, a eventlog.Act, n int) eventlog.Consumption {
	c.Token = a.Key(c.HandoffID, n)
	return c
}

// Put adds lines that were claimed for this replica. A *ConsumedError says that the last one was there before.
func (x *Session) Put(claimed []eventlog.Consumption) error {
	for i, c := range claimed {
		isNew, err := x.TakeOverToken(c)
		if err != nil {
			return err
		}
		if i == len(claimed)-1 && !isNew {
			return &ConsumedError{c}
		}
	}
	return nil
}
