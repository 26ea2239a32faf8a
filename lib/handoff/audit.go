package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
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

// Keep stores a checkpoint and its signature, and returns the files of both. It does not verify the signature.
// Earlier signatures of the same checkpoint are kept. The error is ErrIntegrity if the log does not contain c or the
// last kept checkpoint; then nothing is stored.
func (l AuditLog) Keep(ctx context.Context, c Checkpoint, signature []byte) (file, signatureFile string, err error) {
	return check.KeepCheckpoint(ctx, l.s.at, c, signature)
}

// Last returns the signed checkpoint that was kept last. The caller verifies its signature. The error is
// fs.ErrNotExist if there is none.
func (l AuditLog) Last() (SignedCheckpoint, error) { return check.LastCheckpoint(l.s.at) }

// Signer returns the name of whoever signed a checkpoint, as a file of allowed signers has it; it can be a pattern.
// allowed is the text of that file. The error is ErrIntegrity for a bad signature. If no line of the file allows the
// key for CheckpointNamespace now, the name is "". It needs Options.VerifySignature.
func (l AuditLog) Signer(allowed string, checkpoint, signed []byte) (name string, err error) {
	key, err := l.s.opt.VerifySignature(checkpoint, signed, CheckpointNamespace)
	if err != nil {
		return "", err
	}
	return operators.Principal(operators.ParseAllowed(allowed, CheckpointNamespace), operators.Key(key),
		l.s.opt.Now()), nil
}
