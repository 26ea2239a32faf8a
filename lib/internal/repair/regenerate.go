package repair

import (
	"context"
	"errors"
	"runtime"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fsck"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Regenerate makes the machine of the record the one that the store belongs to. What would stop it
// goes aside as in a repair, which is refused for as long as the store is not this machine's.
func Regenerate(ctx context.Context, s *store.Store, record machine.Record, reason string) error {
	runtime.LockOSThread() // as in a change
	defer runtime.UnlockOSThread()
	x, err := txn.Enter(ctx, s, s.Opt.LockTimeout)
	if err != nil {
		return err
	}
	defer x.End()
	if err := clearWay(ctx, x); err != nil {
		return err
	}
	adopted, err := fsck.Adoptable(ctx, x.Dirs)
	if err != nil {
		return err
	}
	return x.Regenerate(record, record.WriterIDDefault, reason, adopted)
}

// clearWay recovers, puts what stops recovery aside, and cuts off what no event can follow.
func clearWay(ctx context.Context, x *txn.Session) error {
	var report Report
	m := newMending(x, false, &report)
	err := m.displaceOdd()
	if err == nil {
		err = m.settleIntent()
	}
	if err == nil {
		err = m.cutUnreadable(ctx)
	}
	for _, done := range report.Done {
		x.Opt.Warn(done)
	}
	return err
}

// cutUnreadable cuts the log where its chain breaks, if nothing can follow its last event.
func (m *mending) cutUnreadable(ctx context.Context) error {
	err := m.MayGoOn()
	if !errors.Is(err, fault.ErrIntegrity) {
		return err
	}
	if err := m.look(ctx); err != nil {
		return err
	}
	return m.cutLog()
}
