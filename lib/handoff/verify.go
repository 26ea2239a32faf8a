package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/check"
)

// Verify derives ids from files, rows from documents and events from rows, and checks the hash chain and the read
// marks. It also looks for files that do not belong. With ids it checks only these handoffs and the chain.
//
// Verify takes no lock and changes nothing. It compares data of one moment, so a change in progress is not a fault.
// The error is ErrBusy if other processes change the store too fast.
func (s *Store) Verify(ctx context.Context, ids ...string) (Report, error) {
	return check.Verify(ctx, s.at, ids)
}

// Repair repairs what Verify finds, without throwing anything away. It can be interrupted and run again at any time.
// It does this:
//
//   - complete an interrupted change, and quarantine an unusable journal
//   - add rows for good handoffs without one, and missing read marks and events
//   - normalize the index files
//   - cut the audit log where its chain breaks
//   - quarantine what cannot be proven
//
// A replaced file is kept next to the new one, with a timestamp in its name.
func (m Maintenance) Repair(ctx context.Context) (RepairReport, error) {
	return check.Repair(ctx, m.s.at, false)
}

// RebuildIndex is like Repair, but also rebuilds INDEX.md from the stored files and the audit log, with read marks.
// Archives stay.
func (m Maintenance) RebuildIndex(ctx context.Context) (RepairReport, error) {
	return check.Repair(ctx, m.s.at, true)
}
