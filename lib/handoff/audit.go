package handoff

import (
	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
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
