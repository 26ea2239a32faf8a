package trust

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A Judge decides which actions and marks of other stores count here. It uses the operators file as it
// was when the judge was made.
type Judge struct{ rules Rules }

// NewJudge returns a judge of what other stores report, by the rules of this one.
func NewJudge(r Rules) Judge {
	if r.Warn != nil {
		r.Warn = func(string) {}
	}
	return Judge{r}
}

// when returns the rules at the time that an event names, but never later than now.
func (j Judge) when(instant string) Rules {
	r := j.rules
	if at, ok := form.Instant(instant); ok && at.Before(r.Now) {
		r.Now = at
	}
	return r
}

// Consumption returns nil if a line of another ledger counts here. e is the entry of its handoff.
func (j Judge) Consumption(c eventlog.Consumption, e index.Row) error {
	return j.when(c.Time).Allow(c.Act(), c.Operator, e)
}

// Revocation returns nil if a line of another ledger counts here that ends the take in life: the lease is over,
// the operator is the same, or may steal it.
func (j Judge) Revocation(c eventlog.Consumption, e index.Row, life eventlog.Life) error {
	held := life.Take.Holds()
	if held.Operator == c.Operator || held.IsOver(c.Time, 0) {
		return nil
	}
	return j.when(c.Time).MaySteal(c.Operator, e)
}

// Mark returns nil if a read mark of another store counts here.
func (j Judge) Mark(m index.Mark) error {
	return j.when(m.Time).Allow(ActRead, m.Operator, index.Row{})
}

// Unread returns nil if an undone read mark of another store counts here. A time in the future is fault.ErrInvalid: it
// would undo marks that are not made yet.
func (j Judge) Unread(m index.Mark) error {
	if at, ok := form.Instant(m.Time); !ok || at.After(j.rules.Now.Add(time.Minute)) {
		return fault.Invalid("", "%s lies ahead", m.Time)
	}
	return j.Mark(m)
}
