// Package approval says which handoffs need an approval, and what an approval or a rejection has to be
// signed with. That one was given is a line of the ledger, as taking a handoff is.
package approval

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/keyring"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// Capability lets an operator approve and reject what others have written.
const Capability = "approve"

// A Desk is where it is decided.
type Desk struct {
	At   *store.Store
	Keys *keyring.Keyring
	Sign func(text []byte) ([]byte, error) // in signers.ApprovalNamespace; nil can sign nothing
}

// Policies returns what the operators file asks of handoffs from one operator to another, nil if it
// asks for nothing.
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

// Check is fault.ErrDenied for a handoff that needs an approval and has none, or was rejected. life is
// what became of it.
func Check(at *store.Store, life eventlog.Life, row index.Row, references []string) error {
	asks, err := Policies(at)
	if err != nil {
		return err
	}
	return txn.CheckApproval(life, row.ID, relation.Of(references).Approval || asks != nil && asks(row.From, row.To))
}

// Signed returns an approval or a rejection with its signature, where keys of the operator are known:
// anybody could claim it otherwise.
func (d Desk) Signed(act eventlog.Act, c eventlog.Consumption) (eventlog.Consumption, error) {
	c.Token = act.Key(c.HandoffID, 0)
	knows, err := d.Keys.Knows(c.Operator)
	if err != nil || !knows {
		return c, err
	}
	if d.Sign == nil {
		return c, fault.New(fault.ErrDenied, "", "keys of %s are known, and nothing can sign here", fault.Own(c.Operator))
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

// Prove is fault.ErrDenied for an approval or a rejection whose signature is not what it has to be: none
// where keys of its operator are known, or one that is not good.
func (d Desk) Prove(c eventlog.Consumption) error {
	text, err := c.Statement()
	if err != nil {
		return err
	}
	why, err := d.Keys.Approves(c.Operator, text, []byte(c.Signature))
	if err == nil && why != "" {
		err = fault.New(fault.ErrDenied, "sign with a key that ssh_keys of "+c.Operator+" in the operators file lists", "the decision of %s does not count: %s", fault.Own(c.Operator), why)
	}
	return err
}
