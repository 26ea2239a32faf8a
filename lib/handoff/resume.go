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
// holds the handoff.
//
// The token's line in the ledger is the commit. The read mark and the event follow, even after a crash. If they
// cannot be recorded now, Resume warns, and the next change of the store completes them.
func (r Records) Resume(ctx context.Context, c Consumption) (_ Consumption, err error) {
	err = r.s.guard()
	var entry Entry
	if err == nil {
		entry, err = r.s.Find(c.HandoffID)
	}
	one := request{who: c}
	if err == nil {
		one, err = r.s.request(actResume, entry, c)
	}
	if err == nil {
		_, err = r.s.carryOut(ctx, &one)
	}
	return one.who, explain(err)
}

// A Ledger is a snapshot of the used resume tokens. Used, Life and Lines query it.
type Ledger = txn.Tokens

// Ledger reads the ledger. The error is ErrIntegrity if it is damaged: then no token is provably unused.
func (r Records) Ledger() (*Ledger, error) { return txn.OpenTokens(r.s.at) }
