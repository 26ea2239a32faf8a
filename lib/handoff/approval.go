package handoff

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/signers"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// ApprovalNamespace is the namespace of signatures of approvals and rejections.
const ApprovalNamespace = signers.ApprovalNamespace

// capabilityApprove lets an operator approve and reject what others have written.
const capabilityApprove = "approve"

// policies returns what the operators file asks of handoffs from one operator to another, nil if it asks for nothing.
func (s *Store) policies() (asks func(from, to string) bool, err error) {
	text, err := s.at.OperatorsText()
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(text, []byte("policies")) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := s.Operators()
	if err != nil || list == nil {
		return nil, err
	}
	return list.AsksApproval, nil
}

// CheckApproval returns nil for a handoff that may be taken or resumed from, as far as approval goes, and ErrDenied for one that
// awaits it or was rejected.
func (s *Store) CheckApproval(id string) error {
	e, err := s.Find(id)
	if err != nil {
		return err
	}
	got, err := s.Load(e)
	if err != nil {
		return err
	}
	return s.checkApproval(e, got.References)
}

// checkApproval is CheckApproval of a handoff that was read.
func (s *Store) checkApproval(e Entry, references []string) error {
	asks, err := s.policies()
	if err != nil {
		return err
	}
	lives, err := s.Taking(e.ID)
	if err != nil {
		return err
	}
	return txn.CheckApproval(lives[e.ID], e.ID, relation.Of(references).Approval || asks != nil && asks(e.From, e.To))
}

// admitVerdict refuses an operator who may not approve or reject a handoff.
func (s *Store) admitVerdict(e Entry, operator string) error {
	list, err := s.Operators()
	if err != nil {
		return err
	}
	ask := "ask an operator who has the capability " + capabilityApprove + " in " + s.opt.OperatorsFile
	switch {
	case list == nil:
		return fault.New(ErrDenied, "write one that gives an operator the capability "+capabilityApprove+"; `handoff operators --help` shows how", "no operators file says who may approve")
	case operator == e.From:
		return fault.New(ErrDenied, ask, "%s has written %s, and cannot approve or reject it", fault.Own(operator), fault.Own(e.ID))
	case !list.Can(operator, capabilityApprove, s.opt.Now()):
		return fault.New(ErrDenied, ask, "the operator %s may not approve or reject", fault.Own(operator))
	}
	status, err := s.VerifyOperator(operator)
	if err != nil || status.State == operators.Verified || status.State == operators.Disabled {
		return err
	}
	return fault.New(ErrDenied, ask, "the operator %s is not verified: %s", fault.Own(operator), status.Reason)
}

// signVerdict signs an approval or a rejection where keys of the operator are known: anybody could claim it otherwise.
func (s *Store) signVerdict(act Act, who Consumption) (Consumption, error) {
	who.Token = act.Key(who.HandoffID, 0)
	knows, err := s.keys.Knows(who.Operator)
	if err != nil || !knows {
		return who, err
	}
	if s.opt.SignApproval == nil {
		return who, fault.New(ErrDenied, "", "keys of %s are known, and nothing can sign here", fault.Own(who.Operator))
	}
	text, err := who.Statement()
	if err != nil {
		return who, err
	}
	armored, err := s.opt.SignApproval(text)
	if err != nil {
		return who, err
	}
	who.Signature = string(armored)
	return who, s.checkVerdict(who)
}

// checkVerdict is ErrDenied for an approval or a rejection whose signature is not what it has to be.
func (s *Store) checkVerdict(c Consumption) error {
	text, err := c.Statement()
	if err != nil {
		return err
	}
	why, err := s.keys.Approves(c.Operator, text, []byte(c.Signature))
	if err == nil && why != "" {
		err = fault.New(ErrDenied, "sign with a key that ssh_keys of "+c.Operator+" in the operators file lists", "the decision of %s does not count: %s", fault.Own(c.Operator), why)
	}
	return err
}

// CountsHere says of what another store has consumed whether it counts here: of an approval or a rejection, that its operator may
// decide of this handoff, and has signed it where keys of theirs are known. All else counts.
func (s *Store) CountsHere(c Consumption) bool {
	if !c.IsVerdict() {
		return true
	}
	e, err := s.Find(c.HandoffID)
	if of, _, _, _ := eventlog.ParseKey(c.Token); err != nil || of != e.ID {
		return false
	}
	list, err := s.Operators()
	return err == nil && list != nil && c.Operator != e.From && list.Can(c.Operator, capabilityApprove, s.opt.Now()) && s.checkVerdict(c) == nil
}
