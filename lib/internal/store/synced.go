package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// HasSynced reports whether the store was ever exchanged with a remote: others may have what it has. A
// try that failed does not count.
func (s *Store) HasSynced() (bool, error) {
	if !s.Opt.Git.IsShared() || s.Opt.Synced {
		return s.Opt.Synced, nil
	}
	state, err := s.OpenPlace(s.Opt.StateDir)
	if err != nil || state == nil {
		return false, err
	}
	defer state.Close()
	for _, name := range []string{layout.SyncState, filepath.Join(layout.SyncRepo, "packed-refs"), filepath.Join(layout.SyncRepo, "refs", "handoff")} {
		if _, err := state.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return err == nil, err
		}
	}
	return false, nil
}
