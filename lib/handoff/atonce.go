package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// RecordValidation adds a validation to the audit log and reports whether it did. It does not wait for a lock that is
// held, and its failure is not an error.
func (l AuditLog) RecordValidation(ctx context.Context, v Validation) bool {
	return txn.TryRecord(ctx, l.s.at, eventlog.Pending{Type: eventlog.TypeValidate, Payload: v})
}
