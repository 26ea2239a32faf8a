package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Resume uses up the resume token of a handoff, and marks the handoff as read by the operator. The caller checks the
// handoff first. c needs HandoffID and Operator, and Token if the handoff has one.
//
// The error is ErrDenied if the operators file does not list the operator, unless the handoff is addressed to them.
// If several resume at once, one succeeds. The others get a *ConsumedError, or a *TakenError if another operator
// holds the handoff. After the first sync this holds for all clones; see Options.Once.
//
// The token's line in the ledger is the commit. The read mark and the event follow, even after a crash. If they
// cannot be recorded now, Resume warns, and the next change of the store completes them.
func (r Records) Resume(ctx context.Context, c Consumption) (_ Consumption, err error) {
	defer func() {
		err = explain(err)
	}()
	if err := r.s.guard(); err != nil {
		return c, err
	}
	entry, err := r.s.Find(c.HandoffID)
	if err != nil {
		return c, err
	}
	if err := r.s.rules().Allow(ActTake, c.Operator, entry); err != nil {
		return c, err
	}
	if err := r.s.Lifecycle().CheckApproval(entry.ID); err != nil {
		return c, err
	}
	c.HandoffID, c.Token = entry.ID, txn.LedgerKey(c.Token, entry.ID)
	c.Until = r.s.leaseEnd(c)
	err = r.s.once(ctx, &c, func(l *txn.Ledger, c Consumption) ([]Consumption, error) { return l.WantResume(c) },
		func(x *txn.Session, c Consumption) error {
			if err := r.s.checkRejected(ActTake, entry.ID); err != nil {
				return err
			}
			return x.Resume(c)
		})
	if err = r.s.orUnrecorded(err); err == nil {
		r.s.pinSighted(ctx)
	}
	return c, err
}

// A Ledger is a snapshot of the used resume tokens. Used, Life and Lines query it.
type Ledger = txn.Tokens

// Ledger reads the ledger. The error is ErrIntegrity if it is damaged: then no token is provably unused.
func (r Records) Ledger() (*Ledger, error) { return txn.OpenTokens(r.s.at) }
