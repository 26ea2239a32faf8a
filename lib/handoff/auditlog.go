package handoff

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// AuditHead returns how far the audit log has come. A chain that is broken is ErrIntegrity.
func (s *Store) AuditHead() (Checkpoint, error) {
	log, err := s.auditLog()
	if err != nil || len(log.hashes) == 0 {
		return Checkpoint{0, journal.Genesis}, err
	}
	return Checkpoint{len(log.hashes), log.hashes[len(log.hashes)-1]}, nil
}

// CheckCheckpoint returns nil if the audit log holds what it held at the checkpoint: if it is that log or a
// continuation of it. Else the error is ErrIntegrity and names the first line that is known to be bad.
func (s *Store) CheckCheckpoint(c Checkpoint) error {
	log, err := s.auditLog()
	if err != nil {
		return err
	}
	if line, why := log.lacks(c); why != "" {
		return fault.New(ErrIntegrity, "find out what happened to the log: compare it with a backup",
			"%s:%d: %s", filepath.Join(s.opt.StateDir, logName), line, why)
	}
	return nil
}

// lacks returns why the log does not hold what it held at the checkpoint, and the first line that is known to
// be bad; "" if it does.
func (f *logFacts) lacks(c Checkpoint) (line int, why string) {
	have := len(f.hashes)
	switch {
	case c.Count == 0:
		return 0, ""
	case c.Count > have:
		line = 1
		if have > 0 {
			line = f.lines[have-1] + 1
		}
		return line, fmt.Sprintf("its end was cut: it has %s, at the checkpoint it had %d", fault.Count(have, "event"), c.Count)
	case f.hashes[c.Count-1] != c.Hash:
		return f.lines[c.Count-1], fmt.Sprintf("the log was rewritten here or before: event %d has the hash %s, at the checkpoint it had %s", c.Count, f.hashes[c.Count-1], c.Hash)
	}
	return 0, ""
}

// auditLog returns what the log says, once the chain holds.
func (s *Store) auditLog() (*logFacts, error) {
	c := newCheck(s)
	dir, err := s.prover()
	if err != nil || dir == nil {
		return c.log, err
	}
	c.dir = dir
	defer c.close()
	if err := c.takeSnapshot(context.Background()); err != nil {
		return nil, err
	}
	c.readLog()
	err = c.report.Err()
	if err == nil && len(c.log.hashes) == 0 && c.intent == nil && c.listsHandoffs() {
		err = s.logMissing()
	}
	return c.log, err
}
