package handoff

import (
	"context"
	"errors"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/check"
)

// Verify derives everything again: ids from files, rows from documents, events from rows, the chain, the
// read marks, and looks for what does not belong. With ids it looks at these handoffs and the chain alone.
// It takes no lock and changes nothing. What it compares was read at one moment, so that a change under
// way is no fault; ErrBusy says that others changed the store faster than it could be read.
func (s *Store) Verify(ctx context.Context, ids ...string) (Report, error) {
	report, err := check.Verify(ctx, s.at, ids)
	if lost := (*fault.Error)(nil); err == nil && errors.As(s.at.CheckSent(), &lost) {
		found := Finding{Place: s.opt.StateDir, Problem: lost.Problem, Remedy: "handoff doctor --repair"}
		report.Faults = append([]Finding{found}, report.Faults...)
	}
	return report, err
}

// Repair mends what Verify finds, as far as it can be mended without throwing anything away: it finishes
// an interrupted change, puts a journal aside that cannot be used, adds rows for good handoffs that no row
// lists, adds read marks and events that are missing, normalises the index files, cuts an audit log off
// where its chain breaks, and moves what does not verify out of the way. Files that are replaced are kept
// beside with a timestamp. It may be interrupted at any moment and run again.
func (m Maintenance) Repair(ctx context.Context) (RepairReport, error) {
	return check.Repair(ctx, m.s.at, false)
}

// RebuildIndex is Repair with an INDEX.md that is made anew from the stored files and the audit log, read
// marks included. Archives stay.
func (m Maintenance) RebuildIndex(ctx context.Context) (RepairReport, error) {
	return check.Repair(ctx, m.s.at, true)
}
