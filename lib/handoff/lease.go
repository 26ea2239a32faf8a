package handoff

import (
	"context"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

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
// half is left, and takes that have none. next is when a lease is to be renewed again, zero if the session has none.
// Hooks call it, so it does nothing and returns no error if another program holds the lock.
func (c Lifecycle) Renew(ctx context.Context, operator, session string) (next time.Time, err error) {
	now, half := c.s.opt.Now(), c.s.opt.Lease/2
	lives, err := c.Taking("")
	if err != nil || session == "" {
		return next, err
	}
	var due []string
	for id, life := range lives {
		held := life.Take.Holds()
		end, hasLease := form.Instant(held.Until)
		if !held.IsBy(operator, session) || life.Done.IsDone() || !hasLease {
			continue
		}
		at := end.Add(-half)
		if !at.After(now) {
			due, at = append(due, id), now.Add(half)
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if len(due) == 0 {
		return next, nil
	}
	who := Consumption{Operator: operator, Session: session, Until: now.Add(c.s.opt.Lease).UTC().Format(time.RFC3339)}
	again := now.Add(time.Minute)
	txn.TryLocked(ctx, c.s.at, 0, func(x *txn.Session) { again, err = next, x.Renew(who, due) })
	return again, err
}

// hasDied reports whether a session is known to be over on this machine: its process is gone, or the session has said
// that it ended.
func (s *Store) hasDied(session string) bool {
	isOver := func(process string) bool { return !disk.Runs(process) }
	return slices.ContainsFunc(heard.Processes(s.opt.UserState, session), isOver)
}
