package store

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

// smallIndex is the size in bytes up to which reading a git index is faster than remembering it. A large one is
// remembered for the indexes that only git can read (version 4, split, sparse): with 80,000 names in version 4 a write
// would take 77 ms instead of 12.
const smallIndex = 256 << 10

// CheckUntracked refuses a state directory in which git tracks a file: a checkout could replace files that
// the program trusts. It starts git only if it cannot parse the git index itself. It accepts an index that is
// unreadable.
func (s *Store) CheckUntracked() error {
	real, err := Resolve(s.Opt.StateDir)
	if err != nil {
		return err
	}
	for _, path := range slices.Compact([]string{s.Opt.StateDir, real}) {
		top := git.Top(filepath.Dir(path))
		if top == "" {
			continue
		}
		rel, err := filepath.Rel(top, path)
		if err != nil || !s.isTracked(top, filepath.ToSlash(rel)) {
			continue
		}
		return fault.Config("run `git -C "+ShellQuote(top)+" rm -r --cached --quiet "+ShellQuote(rel)+
			"` and commit; if someone else added it, move "+ShellQuote(s.Opt.StateDir)+" away too",
			"git tracks files of the state directory %s, so that a checkout can replace them; nothing was changed",
			s.Opt.StateDir)
	}
	return nil
}

// isTracked reports whether the index of a work tree has a path or something below it.
func (s *Store) isTracked(top, rel string) bool {
	name := git.IndexFile(top)
	if name == "" {
		return false
	}
	stamp := s.stampOf(name, rel)
	if stamp != "" {
		// another process may have read this index
		if seen, _ := s.readOutside(disk.IndexStamp, disk.MaxStateFile); string(seen) == stamp {
			return false
		}
	}
	tracked, err := git.Tracks(context.Background(), top, rel)
	if err == nil && !tracked && stamp != "" {
		s.rememberIndex(stamp)
	}
	return tracked
}

// stampOf returns a stamp of a git index and of the path to find in it. It returns "" for a small index, and
// for one that changed just now, since that can change again and keep its stamp.
func (s *Store) stampOf(name, rel string) string {
	dir, err := disk.OpenDir(filepath.Dir(name))
	if err != nil {
		return ""
	}
	defer dir.Close()
	entry, err := dir.Lstat(filepath.Base(name))
	if err != nil || entry.Size <= smallIndex {
		return ""
	}
	stamp, changed, err := dir.Stamp(filepath.Base(name))
	if err != nil || time.Since(changed) < 2*time.Second {
		return ""
	}
	return stamp + " " + rel
}

// rememberIndex records that an index was read, so that other processes need not read it. It is best effort.
func (s *Store) rememberIndex(stamp string) {
	if d, err := s.Outside(); err == nil {
		defer d.Close()
		_ = d.Replace(disk.IndexStamp, []byte(stamp), 0o600)
	}
}
