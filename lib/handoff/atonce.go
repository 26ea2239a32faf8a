package handoff

import (
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// RecordValidation adds a validation to the audit log and reports whether it did. It does not wait for a lock that is
// held, and its failure is not an error.
func (l AuditLog) RecordValidation(ctx context.Context, v Validation) bool {
	return txn.TryRecord(ctx, l.s.at, eventlog.Pending{Type: eventlog.TypeValidate, Payload: v})
}

// RecordProbe adds the result of a probe to the audit log. Otherwise it is like RecordValidation.
func (l AuditLog) RecordProbe(ctx context.Context, p Probed) bool {
	return txn.TryRecord(ctx, l.s.at, eventlog.Pending{Type: eventlog.TypeProbe, Payload: p})
}

// Probed returns the newest recorded run of a probe on this replica since a time, and whether there is one. The run
// has the same definition and the same commit as like, with no changed file.
func (l AuditLog) Probed(like Probed, since time.Time) (Probed, bool) {
	if ours, err := l.s.at.MatchesMachine(); err != nil || !ours {
		return eventlog.Probed{}, false
	}
	found, err := store.InState(l.s.at, func(d *disk.Dir) (*Probed, error) { return txn.Probed(d, like, since) })
	if err != nil || found == nil { // an unreadable log has no runs
		return Probed{}, false
	}
	return *found, true
}
