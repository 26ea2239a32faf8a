package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Head returns the number of lines in the audit log and the hash of the last one. The error is ErrIntegrity if the
// chain is broken.
func (l AuditLog) Head() (Checkpoint, error) {
	log, err := check.ReadLog(l.s.at)
	if err != nil {
		return Checkpoint{Hash: eventlog.Genesis}, err
	}
	return log.Head(), nil
}

// Check returns nil if the audit log contains everything that it contained at the checkpoint. Otherwise the error is
// ErrIntegrity and names the first line that is known to be bad.
func (l AuditLog) Check(c Checkpoint) error { return check.CheckCheckpoint(l.s.at, c) }

// RecordValidation adds a validation to the audit log and reports whether it did. It does not wait for a lock that is
// held, and its failure is not an error.
func (l AuditLog) RecordValidation(ctx context.Context, v Validation) bool {
	return txn.TryRecord(ctx, l.s.at, eventlog.Pending{Type: eventlog.TypeValidate, Payload: v})
}
