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

// These actions have no line in the ledger.
const (
	actRead  Act = "mark-read"
	actPrune Act = "prune"
)

// rules are what a project says about its operators.
type rules struct {
	list     *operators.List // nil if there is no operators file
	broken   error           // why the operators file cannot be used
	path     string          // of the operators file
	off      bool            // operators are not verified
	warn     func(string)    // if not nil, it receives a warning about an unverified operator, who is then accepted
	now      time.Time
	evidence operators.Evidence
}

// allowed returns nil if the rules let an operator perform an action on a handoff, otherwise ErrDenied. It judges the
// actions of this store, and those that other stores report.
func allowed(act Act, operator string, e Entry, r rules) error {
	switch act {
	case ActApprove, ActReject:
		return r.mayDecide(operator, e)
	case ActArchive, ActUnarchive, actPrune:
		return r.mayArchive(operator, e)
	case ActDone:
		if operator == e.From { // senders can withdraw what they sent
			return nil
		}
	case ActResend:
		if operator != e.From {
			return fault.New(ErrDenied, "ask "+e.From, "only the sender, %s, can reopen what others have finished",
				e.From)
		}
		return nil
	case actRead:
		return r.mayRead(operator)
	}
	return r.mayTake(operator, e)
}

// verify returns the status of an operator under the rules.
func (r rules) verify(operator string) operators.Status {
	switch {
	case r.off:
		return operators.Status{State: operators.Disabled}
	case r.list == nil:
		return operators.Status{State: operators.BootstrapPending}
	}
	return r.list.Verify(operator, r.now, r.evidence)
}

// unverified returns ErrDenied for an unverified operator. With the setting schema_mode: warn it warns instead.
func (r rules) unverified(format string, args ...any) error {
	advice := "add the operator to " + r.path + ", or set schema_mode: warn in .handoff.yaml"
	err := fault.New(ErrDenied, advice, format, args...)
	if r.warn == nil {
		return err
	}
	r.warn("[UNVERIFIED-IDENTITY] " + err.Error())
	return nil
}

// mayTake lets the recipient and all verified operators take, finish and release a handoff.
func (r rules) mayTake(operator string, e Entry) error {
	if r.broken != nil && !r.off {
		return r.broken
	}
	status := r.verify(operator)
	switch {
	case operator == e.To:
		return nil
	case status.State == operators.Unverified, status.State == operators.Unknown:
		return r.unverified("the operator %s is not verified, and is not the recipient: %s",
			fault.Own(operator), status.Reason)
	}
	return nil
}

// mayArchive lets the sender, the recipient and operators with the capability archive archive and prune a handoff.
func (r rules) mayArchive(operator string, e Entry) error {
	if operator == e.From || operator == e.To || r.list != nil && r.list.Can(operator, "archive", r.now) {
		return nil
	}
	if r.broken != nil {
		return r.broken
	}
	return fault.New(ErrDenied, "ask "+e.From+" or "+e.To+", or an operator with the capability archive in "+r.path,
		"%s may not archive a handoff from %s to %s", fault.Own(operator), e.From, e.To)
}

// mayRead lets all operators in the operators file mark handoffs as read.
func (r rules) mayRead(operator string) error {
	switch {
	case r.off:
		return nil
	case r.list == nil || r.list.Has(operator):
		return r.broken
	}
	return r.unverified("%s", r.list.Verify(operator, r.now, operators.Evidence{}).Reason)
}

// mayDecide lets operators with the capability approve decide about handoffs of others.
func (r rules) mayDecide(operator string, e Entry) error {
	ask := "ask an operator with the capability " + trust.Capability + " in " + r.path
	switch {
	case r.broken != nil:
		return r.broken
	case r.list == nil:
		return fault.New(ErrDenied, trust.NoFileAdvice, trust.NoFile)
	case operator == e.From:
		return fault.New(ErrDenied, ask, "%s has written %s, and cannot approve or reject it",
			fault.Own(operator), fault.Own(e.ID))
	case !r.list.Can(operator, trust.Capability, r.now):
		return fault.New(ErrDenied, ask, "the operator %s may not approve or reject", fault.Own(operator))
	}
	if status := r.verify(operator); status.State != operators.Verified && status.State != operators.Disabled {
		return fault.New(ErrDenied, ask, "the operator %s is not verified: %s", fault.Own(operator), status.Reason)
	}
	return nil
}

// rules returns the rules of the project for its operators.
func (s *Store) rules() rules {
	r := rules{path: s.opt.OperatorsFile, off: s.opt.Operators.Off, now: s.opt.Now()}
	if s.opt.Operators.Warn {
		r.warn = s.opt.Warn
	}
	if r.list, r.broken = s.Registry().Policy(); r.list != nil && !r.off {
		r.evidence = s.evidence()
	}
	return r
}

// admitAs returns ErrDenied if the rules do not let an operator perform an action.
func (s *Store) admitAs(act Act, operator string, e Entry) error {
	return allowed(act, operator, e, s.rules())
}

// A Judge decides which actions, marks and tombstones of other stores count here. It uses the operators file as it
// was when the judge was made.
type Judge struct {
	s     *Store
	rules rules
}

// Judge returns a judge of what other stores report.
func (x Exchange) Judge() Judge {
	r := x.s.rules()
	r.evidence = operators.Evidence{} // evidence is about the user of this program, not about other operators
	if r.warn != nil {
		r.warn = func(string) {}
	}
	return Judge{x.s, r}
}

// Stamp identifies the rules of a judge. While it stays the same, the judge refuses the same things.
func (j Judge) Stamp() string {
	text, err := j.s.Registry().PolicyText()
	return jsontree.SHA256Hex(fmt.Appendf(text, "\n%t %t %v", j.rules.off, j.rules.warn != nil, err))
}

// at returns the rules at the time that an event names, but never later than now.
func (j Judge) at(instant string) rules {
	r := j.rules
	if at, ok := form.Instant(instant); ok && at.Before(r.now) {
		r.now = at
	}
	return r
}

// Consumption returns nil if a line of another ledger counts here. e is the entry of its handoff. Approvals and
// rejections must be signed if keys of their operator are known.
func (j Judge) Consumption(c Consumption, e Entry) error {
	act := c.Act()
	if !act.IsVerdict() {
		return allowed(act, c.Operator, e, j.at(c.Time))
	}
	if err := allowed(act, c.Operator, e, j.rules); err != nil {
		return err
	}
	return j.s.desk().Prove(c)
}

// Mark returns nil if a read mark of another store counts here.
func (j Judge) Mark(m Mark) error { return allowed(actRead, m.Operator, Entry{}, j.at(m.Time)) }

// Unread returns nil if an undone read mark of another store counts here. A time in the future is ErrInvalid: it
// would undo marks that are not made yet.
func (j Judge) Unread(m Mark) error {
	if at, ok := form.Instant(m.Time); !ok || at.After(j.rules.now.Add(time.Minute)) {
		return fault.New(ErrInvalid, "", "%s lies ahead", m.Time)
	}
	return j.Mark(m)
}

// Tombstone returns nil if a tombstone of another store counts here. e is the entry of its handoff.
func (j Judge) Tombstone(t Tombstone, e Entry) error {
	return allowed(actPrune, t.Operator, e, j.at(t.Time))
}
