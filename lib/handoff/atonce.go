package handoff

import (
	"context"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// RecordValidation adds a validation to the audit log, and reports whether that was possible at once:
// it never waits long, and fails nothing.
func (l AuditLog) RecordValidation(ctx context.Context, v Validation) bool {
	return txn.TryRecord(ctx, l.s.at, eventlog.Pending{Type: eventlog.TypeValidate, Payload: v})
}

// RecordProbe is RecordValidation for what a probe found.
func (l AuditLog) RecordProbe(ctx context.Context, p Probed) bool {
	return txn.TryRecord(ctx, l.s.at, eventlog.Pending{Type: eventlog.TypeProbe, Payload: p})
}

// Probed returns what this replica has recorded of the newest run of a probe, by the same definition
// on the same commit with no file changed, since a time.
func (l AuditLog) Probed(like Probed, since time.Time) (Probed, bool) {
	if ours, err := l.s.at.MatchesMachine(); err != nil || !ours {
		return eventlog.Probed{}, false
	}
	d, err := l.s.at.OpenPlace(l.s.opt.StateDir)
	if err != nil || d == nil {
		return eventlog.Probed{}, false
	}
	defer d.Close()
	found, ok, _ := txn.Probed(d, like, since) // what cannot be read stands for nothing
	return found, ok
}
