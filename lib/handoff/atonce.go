package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// RecordValidation adds a validation to the audit log, and reports whether that was possible at once: it never waits
// long, and fails nothing.
func (s *Store) RecordValidation(ctx context.Context, v eventlog.Validation) bool {
	return txn.TryRecord(ctx, s.at, eventlog.Pending{Type: eventlog.TypeValidate, Payload: v})
}
