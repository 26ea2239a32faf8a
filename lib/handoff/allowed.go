package handoff

import (
	"fmt"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// rules returns the rules of the project for its operators.
func (s *Store) rules() trust.Rules {
	r := trust.Rules{Path: s.opt.OperatorsFile, Off: s.opt.Operators.Off, Now: s.opt.Now()}
	if s.opt.Operators.Warn {
		r.Warn = s.opt.Warn
	}
	if r.List, r.Broken = s.Registry().Policy(); r.List != nil && !r.Off {
		r.Evidence = s.evidence()
	}
	return r
}

// A Judge decides which actions, marks and tombstones of other stores count here. It uses the operators file as it
// was when the judge was made.
type Judge struct {
	s     *Store
	rules trust.Rules
}

// Judge returns a judge of what other stores report.
func (x Exchange) Judge() Judge {
	r := x.s.rules()
	r.Evidence = operators.Evidence{} // evidence is about the user of this program, not about other operators
	if r.Warn != nil {
		r.Warn = func(string) {}
	}
	return Judge{x.s, r}
}

// Stamp identifies the rules of a judge. While it stays the same, the judge refuses the same things.
func (j Judge) Stamp() string {
	text, err := j.s.Registry().PolicyText()
	return jsontree.SHA256Hex(fmt.Appendf(text, "\n%t %t %v", j.rules.Off, j.rules.Warn != nil, err))
}

// at returns the rules at the time that an event names, but never later than now.
func (j Judge) at(instant string) trust.Rules {
	r := j.rules
	if at, ok := form.Instant(instant); ok && at.Before(r.Now) {
		r.Now = at
	}
	return r
}

// Consumption returns nil if a line of another ledger counts here. e is the entry of its handoff. Approvals and
// rejections must be signed if keys of their operator are known.
func (j Judge) Consumption(c Consumption, e Entry) error {
	act := c.Act()
	if !act.IsVerdict() {
		return j.at(c.Time).Allow(act, c.Operator, e)
	}
	if err := j.rules.Allow(act, c.Operator, e); err != nil {
		return err
	}
	return j.s.desk().Prove(c)
}

// Revocation returns nil if a line of another ledger counts here that ends the take in life: the lease is over,
// the operator is the same, or may steal it.
func (j Judge) Revocation(c Consumption, e Entry, life Life) error {
	held := life.Take.Holds()
	if held.Operator == c.Operator || held.IsOver(c.Time, 0) {
		return nil
	}
	return j.at(c.Time).MaySteal(c.Operator, e)
}

// Mark returns nil if a read mark of another store counts here.
func (j Judge) Mark(m Mark) error { return j.at(m.Time).Allow(trust.ActRead, m.Operator, Entry{}) }

// Unread returns nil if an undone read mark of another store counts here. A time in the future is ErrInvalid: it
// would undo marks that are not made yet.
func (j Judge) Unread(m Mark) error {
	if at, ok := form.Instant(m.Time); !ok || at.After(j.rules.Now.Add(time.Minute)) {
		return fault.New(ErrInvalid, "", "%s lies ahead", m.Time)
	}
	return j.Mark(m)
}

// Tombstone returns nil if a tombstone of another store counts here. e is the entry of its handoff.
func (j Judge) Tombstone(t Tombstone, e Entry) error {
	return j.at(t.Time).Allow(trust.ActPrune, t.Operator, e)
}
