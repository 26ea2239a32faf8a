package handoff

import (
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// leaseGrace is how much the clocks of two clones may differ.
const leaseGrace = 5 * time.Minute

// leaseEnd returns the end of the lease of a take, or "" if it has none: only sessions have a lease by default.
func (s *Store) leaseEnd(who Consumption) string {
	lasts := who.For
	if lasts == 0 && who.Session != "" {
		lasts = s.opt.Lease
	}
	if lasts <= 0 {
		return ""
	}
	return s.opt.Now().Add(lasts).UTC().Format(time.RFC3339)
}

// Renew extends the leases of what a session holds to Options.Lease from now. It leaves those alone of which more than
// half is left, and takes that have none. It returns how many it extended. Hooks call it, so it does nothing and
// returns no error if another program holds the lock.
func (a Sessions) Renew(ctx context.Context, operator, session string) (n int, err error) {
	now, lasts := a.s.opt.Now(), a.s.opt.Lease
	half := now.Add(lasts / 2).UTC().Format(time.RFC3339)
	lives, err := a.s.Lifecycle().Taking("")
	if err != nil || session == "" {
		return 0, err
	}
	var due []string
	for id, life := range lives {
		held := life.Take.Holds()
		if held.IsBy(operator, session) && !life.Done.IsDone() && held.Until != "" && held.Until < half {
			due = append(due, id)
		}
	}
	if len(due) == 0 {
		return 0, nil
	}
	c := Consumption{Operator: operator, Session: session, Until: now.Add(lasts).UTC().Format(time.RFC3339)}
	txn.TryLocked(ctx, a.s.at, 0, func(x *txn.Session) { n, err = x.Renew(c, due) })
	return n, err
}
