package handoff

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// AuditHead returns how many events the audit log has, and the hash that the next one will name. A chain
// that is broken is ErrIntegrity.
func (s *Store) AuditHead() (count int, hash string, err error) {
	hashes, err := s.auditHashes()
	if err != nil || len(hashes) == 0 {
		return 0, journal.Genesis, err
	}
	return len(hashes), hashes[len(hashes)-1], nil
}

// AuditHas reports whether event number count of the audit log has the hash: whether the log is the one
// that AuditHead once described, or a continuation of it.
func (s *Store) AuditHas(count int, hash string) (bool, error) {
	hashes, err := s.auditHashes()
	switch {
	case err != nil || count > len(hashes) || count < 0:
		return false, err
	case count == 0:
		return hash == journal.Genesis, nil
	}
	return hashes[count-1] == hash, nil
}

// auditHashes returns the hashes of the events, once the chain holds.
func (s *Store) auditHashes() ([]string, error) {
	c := newCheck(s)
	dir, err := s.reader()
	if err != nil || dir == nil {
		return nil, err
	}
	c.dir = dir
	defer c.close()
	if err := c.takeSnapshot(context.Background()); err != nil {
		return nil, err
	}
	c.readLog()
	return c.log.hashes, c.report.Err()
}
