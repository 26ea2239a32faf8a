package trust

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
)

// Human marks an operator as a person, who may release what others hold.
const Human = "human"

// ActRead has no line in the ledger.
const ActRead eventlog.Act = "mark-read"

// Rules are what a project says about its operators.
type Rules struct {
	List   *operators.List // nil if there is no operators file
	Broken error           // why the operators file cannot be used
	Path   string          // of the operators file
	Off    bool            // operators are not verified
	Warn   func(string)    // if not nil, it receives a warning about an unverified operator, who is then accepted
	Now    time.Time
}

// Allow returns nil if the rules let an operator perform an action on a handoff, otherwise fault.ErrDenied. It judges
// the actions of this store, and those that other stores report.
func (r Rules) Allow(act eventlog.Act, operator string, e index.Row) error {
	switch act {
	case eventlog.ActArchive, eventlog.ActUnarchive:
		return r.mayArchive(operator, e)
	case eventlog.ActDone, eventlog.ActRevoke:
		if operator == e.From { // senders can withdraw what they sent
			return nil
		}
	case eventlog.ActResend:
		if operator != e.From {
			return fault.Denied("ask "+e.From,
				"only the sender, %s, can reopen what others have finished",
				e.From)
		}
		return nil
	case ActRead:
		return r.mayRead(operator)
	}
	return r.mayTake(operator, e)
}

// Verify returns the status of an operator under the rules.
func (r Rules) Verify(operator string) operators.Status {
	switch {
	case r.Off:
		return operators.Status{State: operators.Disabled}
	case r.List == nil:
		return operators.Status{State: operators.BootstrapPending}
	}
	return r.List.Verify(operator, r.Now)
}

// Unverified returns fault.ErrDenied for an unverified operator, with the advice of its status. With the setting
// schema_mode: warn it warns instead.
func (r Rules) Unverified(advice, format string, args ...any) error {
	err := fault.Denied(advice, format, args...)
	if r.Warn == nil {
		return err
	}
	r.Warn("[UNVERIFIED-IDENTITY] " + err.Error())
	return nil
}

// mayTake lets the recipient and all verified operators take, finish and release a handoff.
func (r Rules) mayTake(operator string, e index.Row) error {
	if r.Broken != nil && !r.Off {
		return r.Broken
	}
	status := r.Verify(operator)
	switch {
	case operator == e.To:
		return nil
	case status.State == operators.Unverified, status.State == operators.Unknown:
		return r.Unverified(status.Advice, "the operator %s is not verified, and is not the recipient: %s",
			fault.Own(operator), status.Reason)
	}
	return nil
}

// MayRelease lets the sender, and operators with the capability human, release what others hold.
func (r Rules) MayRelease(operator string, e index.Row) bool {
	return operator == e.From || r.List != nil && r.List.Can(operator, Human, r.Now)
}

// MaySteal lets a person take over what others hold. Without an operators file, everybody counts as a person.
func (r Rules) MaySteal(operator string, e index.Row) error {
	if r.MayRelease(operator, e) || r.List == nil && r.Broken == nil {
		return nil
	}
	return fault.Denied("ask "+e.From+", or an operator with the capability human in "+r.Path,
		"%s may not end the take of another operator", fault.Own(operator))
}

// mayArchive lets the sender, the recipient and operators with the capability archive archive and prune a handoff.
func (r Rules) mayArchive(operator string, e index.Row) error {
	if e.To == document.Next && r.mayTake(operator, e) == nil {
		return nil
	}
	if operator == e.From || operator == e.To || r.List != nil && r.List.Can(operator, "archive", r.Now) {
		return nil
	}
	if r.Broken != nil {
		return r.Broken
	}
	return fault.Denied(
		"ask "+e.From+" or "+e.To+", or an operator with the capability archive in "+r.Path,
		"%s may not archive a handoff from %s to %s", fault.Own(operator), e.From, e.To)
}

// mayRead lets all operators in the operators file mark handoffs as read.
func (r Rules) mayRead(operator string) error {
	switch {
	case r.Off:
		return nil
	case r.List == nil || r.List.Has(operator):
		return r.Broken
	}
	status := r.List.Verify(operator, r.Now)
	return r.Unverified(status.Advice, "%s", status.Reason)
}
