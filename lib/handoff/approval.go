package handoff

import (
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// ApprovalNamespace is the SSH signature namespace of approvals and rejections.
const ApprovalNamespace = operators.ApprovalNamespace

func (s *Store) desk() trust.Desk {
	return trust.Desk{At: s.at, Keys: s.keys, Sign: s.opt.SignApproval}
}

// Decided returns a function that returns the decision about a handoff: its approval and its rejection. Only verdicts
// count that the operators file allows now, made by keys that are known now. The first call reads the ledger. If the
// ledger cannot be read, nothing is approved.
func (c Lifecycle) Decided() func(id string) Decision {
	read := sync.OnceValue(func() map[string][]Consumption {
		all, err := store.InState(c.s.at, txn.ReadVerdicts)
		if err != nil {
			c.s.opt.Warn("approvals are unknown: " + err.Error())
		}
		return all
	})
	var mu sync.Mutex
	known := make(map[string]Decision)
	return func(id string) Decision {
		all := read()[id]
		if len(all) == 0 {
			return Decision{}
		}
		mu.Lock()
		defer mu.Unlock()
		d, judged := known[id]
		if !judged {
			if e, err := c.s.Find(id); err == nil {
				d = c.s.desk().Decide(e, all)
			}
			known[id] = d
		}
		return d
	}
}

// CheckApproval returns ErrDenied if a handoff awaits approval or was rejected. Other errors are those of Find and
// Load.
func (c Lifecycle) CheckApproval(id string) error {
	e, err := c.s.Find(id)
	if err != nil {
		return err
	}
	return c.s.checkApproval(e, c.Decided())
}

func (s *Store) checkApproval(e Entry, decided func(id string) Decision) error {
	got, err := s.Load(e)
	if err != nil {
		return err
	}
	return trust.CheckApproval(s.at, decided(e.ID), e, got.References)
}

// checkRejected returns ErrDenied for an act that needs approval, on a handoff that was just rejected.
func (s *Store) checkRejected(x *txn.Session, act Act, id string) error {
	if !needsApproval(act) {
		return nil
	}
	d, err := s.decision(x, id)
	if err == nil && d.Rejected.IsDone() {
		err = trust.ErrAwaiting(id, d.Rejected)
	}
	return err
}

// needsApproval reports whether an act is refused on a handoff that awaits approval.
func needsApproval(act Act) bool { return act == ActTake || act == actResume || act == ActDone }

// decision returns the decision about one handoff under the lock.
func (s *Store) decision(x *txn.Session, id string) (d Decision, err error) {
	verdicts, err := x.Verdicts(id)
	if err != nil || len(verdicts) == 0 {
		return d, err
	}
	e, err := s.Find(id)
	if err == nil {
		d = s.desk().Decide(e, verdicts)
	}
	return d, err
}

// decide records an approval or a rejection. The caller holds the lock. If the same decision already counts, nothing
// is recorded, and who becomes the operator who made it.
func (s *Store) decide(x *txn.Session, act Act, who *Consumption) (existing bool, err error) {
	d, err := s.decision(x, who.HandoffID)
	if err != nil {
		return false, err
	}
	if act == ActApprove && d.Rejected.IsDone() {
		return false, trust.ErrAwaiting(who.HandoffID, d.Rejected)
	}
	before := d.Approved
	if act == ActReject {
		before = d.Rejected
	}
	if before.IsDone() {
		who.Operator, who.Session, who.Time = before.Operator, before.Session, before.Time
		return true, nil
	}
	return false, x.Decide(act, *who)
}
