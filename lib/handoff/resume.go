package handoff

import (
	"context"
	"errors"

	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Resume consumes the resume token of a handoff, once and for all, and marks the handoff as read by
// the operator. The caller has checked the handoff and decided; c needs HandoffID and Operator, and
// Token if the handoff has one. An operator whom the operators file does not list is ErrDenied, unless
// the handoff is for them. Of several that resume at once one succeeds; the others get a
// *ConsumedError, and a *TakenError where somebody else has taken the handoff. In a store that has
// synced the several are those of all clones: see Options.Once.
//
// The commit is the token's line in the ledger. The read mark and the event follow, also after a
// crash: where they cannot be recorded now, Options.Warn hears of it, and the next change of the store
// completes them.
func (r Records) Resume(ctx context.Context, c Consumption) (_ Consumption, err error) {
	defer func() {
		err = unlessTold(err)
	}()
	if err := r.s.guard(); err != nil {
		return c, err
	}
	entry, err := r.s.Find(c.HandoffID)
	if err != nil {
		return c, err
	}
	if err := r.s.admitAs(ActTake, c.Operator, entry); err != nil {
		return c, err
	}
	if err := r.s.Lifecycle().CheckApproval(entry.ID); err != nil {
		return c, err
	}
	c.HandoffID, c.Token = entry.ID, txn.LedgerKey(c.Token, entry.ID)
	err = r.s.once(ctx, &c, func(l *txn.Ledger, c Consumption) ([]Consumption, error) { return l.WantResume(c) },
		func(x *txn.Session, c Consumption) error {
			if err := r.s.stillMay(ActTake, entry.ID); err != nil {
				return err
			}
			return x.Resume(c)
		})
	if errors.Is(err, txn.ErrUnrecorded) { // nobody could resume again, and hear what is next
		r.s.opt.Warn("resumed, but the read mark or the event is not recorded yet: " + err.Error() + "; the next command that writes completes it")
		err = nil
	}
	if err == nil {
		r.s.pinSighted(ctx)
	}
	return c, err
}

// A Ledger is what the store says at one moment about consumed resume tokens.
type Ledger = txn.Tokens

// Ledger reads the ledger of consumed tokens. A damaged one is ErrIntegrity: it cannot say that a
// token is unused.
func (r Records) Ledger() (*Ledger, error) { return txn.OpenTokens(r.s.at) }
