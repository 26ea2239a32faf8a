package store

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/git"
)

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
		if err != nil || !isTracked(top, filepath.ToSlash(rel)) {
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
func isTracked(top, rel string) bool {
	if git.IndexFile(top) == "" {
		return false
	}
	tracked, _ := git.Tracks(context.Background(), top, rel)
	return tracked
}
