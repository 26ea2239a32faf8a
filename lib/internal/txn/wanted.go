package txn

import (
	"errors"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// An action adds lines to the ledger. The last line is its own. The lines before it keep out actions that conflict with
// it: a resume or done also takes the handoff.

// ErrNotHeld is the error if there is nothing to undo in this store.
var ErrNotHeld = errors.New("no one holds it")

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
