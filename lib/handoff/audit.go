package handoff

import (
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/fsck"
)

// AuditHead returns how far the audit log of this store has come. A chain that is broken is ErrIntegrity.
func (s *Store) AuditHead() (eventlog.Checkpoint, error) {
	log, err := fsck.ReadLog(s.at)
	if err != nil {
		return Checkpoint{Hash: eventlog.Genesis}, err
	}
	return log.Head(), nil
}

// CheckCheckpoint returns nil if the audit log holds what it held at the checkpoint: if it is that log, of the
// same store, or a continuation of it. Else the error is ErrIntegrity and names the first line that is known to be bad.
func (s *Store) CheckCheckpoint(c eventlog.Checkpoint) error {
	log, err := fsck.ReadLog(s.at, c)
	if err != nil {
		return err
	}
	if why := log.Lacks(c); why != "" {
		return fault.New(ErrIntegrity, "find out what happened to the log: compare it with a backup", "%s", why)
	}
	return nil
}
