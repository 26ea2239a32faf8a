package txn

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// An action that must happen once in all clones claims lines of the ledger. The last line is its own. The
// lines before it keep out actions that conflict with it: a resume or done also takes the handoff. Actions
// that end the same take need the same claim.

// ErrNotHeld is the error if there is nothing to undo in this store.
var ErrNotHeld = errors.New("no one holds it")

// WantAct returns the lines that an action needs, or none if it was performed before. It fails as
// [Session.Act] does, or with ErrNotHeld.
func (l *Ledger) WantAct(a eventlog.Act, c eventlog.Consumption, over Lapse) ([]eventlog.Consumption, error) {
	_, _, want, err := l.lines(a, c, over)
	return want, err
}

// lines returns the lines that an action needs, and the action that it comes to. If it was performed before, there are
// no lines, and before names who did it.
func (l *Ledger) lines(a eventlog.Act, c eventlog.Consumption, over Lapse) (_ eventlog.Act, before eventlog.Action,
	want []eventlog.Consumption, err error) {
	life := l.Life(c.HandoffID)
	if a == eventlog.ActResume {
		want, err = l.resume(c, life)
		return a, before, want, err
	}
	a = over.act(a, c, life)
	before, n, err := plan(a, c, life, over)
	if err == nil && n < 0 {
		err = ErrNotHeld
	}
	if err != nil || before.IsDone() {
		return a, before, nil, err
	}
	held := life.Take.Holds()
	switch {
	case a == eventlog.ActTake && held.IsDone():
		return a, before, takeOver(c, held, n), nil
	case a == eventlog.ActDone && !held.IsDone():
		want = append(want, nthAct(c, eventlog.ActTake, n))
	}
	return a, before, append(want, nthAct(c, a, n)), nil
}

// nthAct returns c as the n-th action of its kind on its handoff.
func nthAct(c eventlog.Consumption, a eventlog.Act, n int) eventlog.Consumption {
	c.Token = a.Key(c.HandoffID, n)
	return c
}

// Put adds lines that this replica has claimed. If the last one exists already, another process of this replica has
// added it since the caller read the ledger: the error is a *TakenError, or for a resume a *ConsumedError.
func (x *Session) Put(claimed []eventlog.Consumption) error {
	last := len(claimed) - 1
	isNew, err := x.TakeOverTokens(claimed, true)
	if err != nil || last < 0 || isNew[last] {
		return err
	}
	c := claimed[last]
	if c.Act() == eventlog.ActResume {
		return &ConsumedError{c}
	}
	ledger, err := x.readLedger()
	if err != nil {
		return err
	}
	return newTakenError(c, ledger.Life(c.HandoffID))
}
