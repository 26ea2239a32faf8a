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

// What is done with a handoff and is no line of the ledger.
const (
	actRead  Act = "mark-read"
	actPrune Act = "prune"
)

// rules are what a project says of its operators.
type rules struct {
	list     *operators.List // nil where there is no operators file
	broken   error           // why it cannot be used
	path     string          // of that file
	off      bool            // operators are not verified
	warn     func(string)    // nil, or what hears of an unverified operator, who is let through then
	now      time.Time
	evidence operators.Evidence
}

// allowed is nil where the rules let an operator do an act with a handoff, else ErrDenied. It is asked
// for what is done here, and for what others say they have done.
func allowed(act Act, operator string, e Entry, r rules) error {
	switch act {
	case ActApprove, ActReject:
		return r.mayDecide(operator, e)
	case ActArchive, ActUnarchive, actPrune:
		return r.mayPutAway(operator, e)
	case ActDone:
		if operator == e.From { // who may take back what they have sent
			return nil
		}
	case ActResend:
		if operator != e.From {
			return fault.New(ErrDenied, "ask "+e.From, "only %s, who sent it, may open again what others have ended", e.From)
		}
		return nil
	case actRead:
		return r.mayRead(operator)
	}
	return r.mayTake(operator, e)
}

// verify says what the rules know of an operator.
func (r rules) verify(operator string) operators.Status {
	switch {
	case r.off:
		return operators.Status{State: operators.Disabled}
	case r.list == nil:
		return operators.Status{State: operators.BootstrapPending}
	}
	return r.list.Verify(operator, r.now, r.evidence)
}

// unverified refuses what an unverified operator wants, or warns of it.
func (r rules) unverified(format string, args ...any) error {
	advice := "add the operator to " + r.path + ", or set schema_mode: warn in .handoff.yaml"
	err := fault.New(ErrDenied, advice, format, args...)
	if r.warn == nil {
		return err
	}
	r.warn("[UNVERIFIED-IDENTITY] " + err.Error())
	return nil
}

// mayTake lets the recipient of a handoff take, end and release it, and whoever is verified.
func (r rules) mayTake(operator string, e Entry) error {
	if r.broken != nil && !r.off {
		return r.broken
	}
	status := r.verify(operator)
	switch {
	case operator == e.To:
		return nil
	case status.State == operators.Unverified, status.State == operators.Unknown:
		return r.unverified("the operator %s is not verified, and the handoff is for somebody else: %s",
			fault.Own(operator), status.Reason)
	}
	return nil
}

// mayPutAway lets the sender and the recipient of a handoff archive and prune it, and operators with the
// capability archive.
func (r rules) mayPutAway(operator string, e Entry) error {
	if operator == e.From || operator == e.To || r.list != nil && r.list.Can(operator, "archive", r.now) {
		return nil
	}
	if r.broken != nil {
		return r.broken
	}
	return fault.New(ErrDenied, "ask "+e.From+" or "+e.To+", or somebody with the capability archive in "+r.path,
		"the operator %s may not archive what %s has written to %s", fault.Own(operator), e.From, e.To)
}

// mayRead lets everybody whom the operators file lists mark handoffs as read.
func (r rules) mayRead(operator string) error {
	switch {
	case r.off:
		return nil
	case r.list == nil || r.list.Has(operator):
		return r.broken
	}
	return r.unverified("%s", r.list.Verify(operator, r.now, operators.Evidence{}).Reason)
}

// mayDecide lets operators with the capability approve decide of what others have written.
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

// admitAs refuses an operator whom the rules do not let do an act.
func (s *Store) admitAs(act Act, operator string, e Entry) error {
	return allowed(act, operator, e, s.rules())
}

// A Judge says what counts here of that which others say they have done. It knows the operators file as it
// was when it was made.
type Judge struct {
	s     *Store
	rules rules
}

// Judge returns a judge of what others have done.
func (x Exchange) Judge() Judge {
	r := x.s.rules()
	r.evidence = operators.Evidence{} // that is of who runs the program
	if r.warn != nil {
		r.warn = func(string) {}
	}
	return Judge{x.s, r}
}

// Stamp names the rules of a judge: what they refused once they refuse again, until it is another.
func (j Judge) Stamp() string {
	text, err := j.s.Registry().PolicyText()
	return jsontree.SHA256Hex(fmt.Appendf(text, "\n%t %t %v", j.rules.off, j.rules.warn != nil, err))
}

// at returns the rules at a time that an event names, and never later than now.
func (j Judge) at(instant string) rules {
	r := j.rules
	if at, ok := form.Instant(instant); ok && at.Before(r.now) {
		r.now = at
	}
	return r
}

// Consumption is nil for a line of another ledger that counts here, about a handoff that is stored. An
// approval or a rejection has to be signed where keys of its operator are known.
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

// Mark is nil for a read mark that counts here.
func (j Judge) Mark(m Mark) error { return allowed(actRead, m.Operator, Entry{}, j.at(m.Time)) }

// Unread is nil for a time up to which an operator has taken back read marks that counts here: one that lies ahead would
// take back marks that are yet to be made, and waits.
func (j Judge) Unread(m Mark) error {
	if at, ok := form.Instant(m.Time); !ok || at.After(j.rules.now.Add(time.Minute)) {
		return fault.New(ErrInvalid, "", "%s lies ahead", m.Time)
	}
	return j.Mark(m)
}

// Tombstone is nil for one that counts here, about a handoff that is stored.
func (j Judge) Tombstone(t Tombstone, e Entry) error {
	return allowed(actPrune, t.Operator, e, j.at(t.Time))
}
