package trust

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// Capability lets an operator approve and reject handoffs of others.
const Capability = "approve"

// A Desk decides about approvals in a store.
type Desk struct {
	At   *store.Store
	Keys *Keyring
	Sign func(text []byte) ([]byte, error) // signs in operators.ApprovalNamespace; nil cannot sign
}

// Policies returns whether the operators file requires an approval for handoffs from one operator to another. asks is
// nil if it requires none.
func Policies(at *store.Store) (asks func(from, to string) bool, err error) {
	text, err := at.OperatorsText()
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(text, []byte("policies")) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := at.Operators()
	if err != nil || list == nil {
		return nil, err
	}
	return list.AsksApproval, nil
}

// CheckApproval returns ErrAwaiting if a handoff awaits approval, or was rejected.
func CheckApproval(at *store.Store, decided eventlog.Decision, row index.Row, references []string) error {
	asks, err := Policies(at)
	if err != nil {
		return err
	}
	needs := relation.Of(references).Approval || asks != nil && asks(row.From, row.To)
	if decided.Rejected.IsDone() || needs && !decided.Approved.IsDone() {
		return ErrAwaiting(row.ID, decided.Rejected)
	}
	return nil
}

// ErrAwaiting returns the error for a handoff that awaits approval, or was rejected: fault.ErrDenied.
func ErrAwaiting(id string, rejected eventlog.Action) error {
	err := &fault.Error{Class: fault.ErrDenied, Problem: id + " awaits approval", Words: "the handoff awaits approval",
		Advice: "somebody else than the sender, with the capability approve in the operators file, runs `handoff " +
			"approve " + id + "` on a terminal"}
	if rejected.IsDone() {
		err.Problem = fmt.Sprintf("%s was rejected by %s at %s, for good", id, rejected.Operator, rejected.Time)
		err.Words, err.Advice = "the handoff was rejected, for good", "ask the sender for another one"
	}
	return err
}

// The message and hint if there is no operators file.
const (
	NoFile       = "there is no operators file, so no operator can approve or reject"
	NoFileAdvice = "write one that gives an operator the capability " + Capability +
		"; `handoff operators --help` shows how"
)

// operators returns the operators file. Without one the error is fault.ErrDenied.
func (d Desk) operators() (*operators.List, error) {
	list, err := d.At.Operators()
	if err == nil && list == nil {
		err = fault.Denied(NoFileAdvice, NoFile)
	}
	return list, err
}

// Signed returns an approval or rejection with its signature. It is unsigned if no keys of the operator are known.
func (d Desk) Signed(act eventlog.Act, c eventlog.Consumption) (eventlog.Consumption, error) {
	c.Token = act.Key(c.HandoffID, 0)
	knows, err := d.Keys.Knows(c.Operator)
	if err != nil || !knows {
		return c, err
	}
	if d.Sign == nil {
		return c, fault.Denied("", "keys of %s are known, and nothing can sign here",
			fault.Own(c.Operator))
	}
	text, err := c.Statement()
	if err != nil {
		return c, err
	}
	armored, err := d.Sign(text)
	if err != nil {
		return c, err
	}
	c.Signature = string(armored)
	return c, d.Prove(c)
}

// Prove returns fault.ErrDenied for an approval or rejection without a required good signature. It is required if
// keys of the operator are known.
func (d Desk) Prove(c eventlog.Consumption) error {
	text, err := c.Statement()
	if err != nil {
		return err
	}
	why, err := d.Keys.Approves(c.Operator, text, []byte(c.Signature))
	if err == nil && why != "" {
		err = fault.Denied("sign with a key that ssh_keys of "+c.Operator+" in the operators file lists",
			"the decision of %s does not count: %s", fault.Own(c.Operator), why)
	}
	return err
}

// Counts reports whether an approval or rejection of a handoff counts here and now. Its operator must be allowed to
// decide, and must have signed if keys are known. A rejection still counts after its operator has left. An error
// means that the answer is unknown.
func (d Desk) Counts(row index.Row, c eventlog.Consumption) (bool, error) {
	list, err := d.operators()
	of, act, _, _ := eventlog.ParseKey(c.Token)
	if err != nil || of != row.ID || c.HandoffID != row.ID || c.Operator == row.From {
		return false, err
	}
	isGone := act == eventlog.ActApprove && !list.Can(c.Operator, Capability, d.At.Opt.Now())
	if isGone || !list.IsCapable(c.Operator, Capability) {
		return false, nil
	}
	err = d.Prove(c)
	if errors.Is(err, fault.ErrDenied) {
		return false, nil
	}
	return err == nil, err
}

// Decide returns the decision about a handoff. If a verdict cannot be judged, an approval does not count and a
// rejection does.
func (d Desk) Decide(row index.Row, all []eventlog.Consumption) (decided eventlog.Decision) {
	for _, c := range all {
		_, act, _, _ := eventlog.ParseKey(c.Token)
		counts, err := d.Counts(row, c)
		switch {
		case act == eventlog.ActApprove && counts && !decided.Approved.IsDone():
			decided.Approved = c.Action()
		case act == eventlog.ActReject && (counts || err != nil) && !decided.Rejected.IsDone():
			decided.Rejected = c.Action()
		}
	}
	return decided
}
