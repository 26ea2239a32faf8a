package check

import (
	"context"
	"runtime"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Regenerate makes the machine of the record the one that the store belongs to. What would stop it
// goes aside as in a repair, which is refused for as long as the store is not this machine's.
func Regenerate(ctx context.Context, s *store.Store, record disk.MachineRecord, reason string) error {
	runtime.LockOSThread() // as in a change
	defer runtime.UnlockOSThread()
	x, err := txn.Enter(ctx, s, s.Opt.LockTimeout)
	if err != nil {
		return err
	}
	defer x.End()
	if err := clearWay(x); err != nil {
		return err
	}
	adopted, err := Adoptable(ctx, x.Dirs)
	if err != nil {
		return err
	}
	return x.Regenerate(record, record.WriterIDDefault, reason, adopted)
}

// clearWay recovers, and puts what stops recovery aside.
func clearWay(x *txn.Session) error {
	var report Repairs
	m := newMending(x, false, &report)
	x.GoBack()
	err := m.displaceOdd()
	if err == nil {
		err = m.settleMoved()
	}
	for _, done := range report.Done {
		x.Opt.Warn(done)
	}
	return err
}

// settleMoved is settleJournal for a store that lay elsewhere: its journal was written there. From here on it
// is written here.
func (m *mending) settleMoved() error {
	record, err := store.ReadMachine(m.State)
	if err == nil && record.Store != "" {
		if err = m.RecoverFrom(record.Store); err == nil {
			return nil
		}
	}
	return m.settleJournal()
}
