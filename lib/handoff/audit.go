package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// AuditHead returns how far the audit log of this store has come. A chain that is broken is ErrIntegrity.
func (l AuditLog) Head() (Checkpoint, error) {
	log, err := check.ReadLog(l.s.at)
	if err != nil {
		return Checkpoint{Hash: eventlog.Genesis}, err
	}
	return log.Head(), nil
}

// CheckCheckpoint returns nil if the audit log holds what it held at the checkpoint: if it is that
// log, of the same store, or a continuation of it. Else the error is ErrIntegrity and names the first
// line that is known to be bad.
func (l AuditLog) Check(c Checkpoint) error { return check.CheckCheckpoint(l.s.at, c) }

// KeepCheckpoint stores a checkpoint and its signature, which it does not look at, and returns the files of
// both. Other signatures of the checkpoint stay beside it. A log that does not hold the checkpoint, or the one
// that was kept last, is ErrIntegrity: nothing is kept of it.
func (l AuditLog) Keep(ctx context.Context, c Checkpoint, signature []byte) (file, signatureFile string, err error) {
	return check.KeepCheckpoint(ctx, l.s.at, c, signature)
}

// LastCheckpoint returns the signed checkpoint that was kept last. Whether a signature is good is for the
// caller to find out. If there is none, the error is fs.ErrNotExist.
func (l AuditLog) Last() (SignedCheckpoint, error) { return check.LastCheckpoint(l.s.at) }
