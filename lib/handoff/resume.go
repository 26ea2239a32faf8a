package handoff

import (
	"context"
	"errors"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Resume consumes the resume token of a handoff, once and for all, and marks the handoff as read by the
// operator. The caller has checked the handoff and decided; c needs HandoffID and Operator, and Token if
// the handoff has one. Of several that resume at once one succeeds; the others get a *ConsumedError.
//
// The commit is the token's line in the ledger. The read mark and the event follow, also after a crash.
func (s *Store) Resume(ctx context.Context, c eventlog.Consumption) (_ eventlog.Consumption, err error) {
	defer func() {
		if !errors.As(err, new(*txn.ConsumedError)) {
			err = fault.Unpublished(err)
		}
	}()
	if err := checkOperator(c.Operator); err != nil {
		return c, err
	}
	if _, err := txn.Guard(s.at); err != nil {
		return c, err
	}
	entry, err := s.Find(c.HandoffID)
	if err != nil {
		return c, err
	}
	c.HandoffID, c.Token = entry.ID, txn.LedgerKey(c.Token, entry.ID)
	err = txn.Locked(ctx, s.at, func(x *txn.Session) error {
		c.Time = x.Now()
		return x.Resume(c)
	})
	return c, err
}

// Ledger reads the ledger of consumed tokens. A damaged one is ErrIntegrity: it cannot say that a token is unused.
func (s *Store) Ledger() (*txn.Ledger, error) {
	d, err := s.at.OpenPlace(s.opt.StateDir)
	if err != nil || d == nil {
		return &txn.Ledger{}, err
	}
	defer d.Close()
	return txn.ReadLedger(d)
}
