package check

import (
	"context"
	"runtime"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Regenerate makes the store belong to the machine of the record. It quarantines what would prevent that, as
// a repair does. A repair itself refuses a store of another machine.
func Regenerate(ctx context.Context, s *store.Store, record disk.MachineRecord, reason string) error {
	runtime.LockOSThread() // as in txn
	defer runtime.UnlockOSThread()
	x, err := txn.Enter(ctx, s, s.Opt.LockTimeout)
	if err != nil {
		return err
	}
	defer x.End()
	if err := clearWay(x); err != nil {
		return err
	}
	adopted, err := adoptable(ctx, x.Dirs)
	if err != nil {
		return err
	}
	return x.Regenerate(record, record.WriterIDDefault, reason, adopted)
}

// clearWay recovers, and quarantines what prevents recovery.
func clearWay(x *txn.Session) error {
	var report Repairs
	m := newRepair(x, false, &report)
	m.moves = true
	x.GoBack()
	err := m.quarantineUnsafe()
	if err == nil {
		err = m.recoverMoved()
	}
	for _, done := range report.Done {
		x.Opt.Warn(done)
	}
	return err
}

// recoverMoved is recoverJournal for a store that was moved: its journal was written in another directory.
func (m *repair) recoverMoved() error {
	record, err := store.ReadMachine(m.State)
	if err == nil && record.Store != "" {
		if err = m.RecoverFrom(record.Store); err == nil {
			return nil
		}
	}
	return m.recoverJournal()
}
