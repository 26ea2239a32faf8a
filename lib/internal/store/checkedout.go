package store

import (
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// CheckedOut returns a hash of HEAD and the commit that it names. In a store that is not committed with the
// code it is zero.
func (s *Store) CheckedOut() (h journal.Hash, err error) {
	if s.Opt.Git != disk.GitTracked {
		return h, nil
	}
	head, err := git.Head(s.Opt.Root)
	return journal.HashOf([]byte(head)), err
}

// IsElsewhere reports whether the commit that is checked out differs from the recorded one.
func (s *Store) IsElsewhere(recorded journal.Hash) (bool, error) {
	if s.Opt.Git != disk.GitTracked {
		return false, nil
	}
	now, err := s.CheckedOut()
	return now != recorded, err
}
