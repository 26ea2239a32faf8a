package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// checkKind refuses a store that is shared over git where git is not, unless there is a store already.
func (s *Store) checkKind() error {
	if s.Opt.Git != disk.GitSynced || git.Top(s.Opt.Root) != "" ||
		IsThere(filepath.Join(s.Opt.StateDir, log.FileName)) {
		return nil
	}
	return fault.Config("clone it, or run `handoff init --git none`",
		"this project shares its handoffs over git, and %s is no git work tree", s.Opt.Root)
}

// checkUntracked returns an error if git tracks a file of the state: a branch could then change it. git is asked only
// if its index is not the one that a stamp was made of.
func (s *Store) checkUntracked(stamp string) error {
	if stamp != "" && stamp == s.gitStamp() {
		return nil
	}
	path, names, err := s.Tracked(s.Opt.StateDir)
	if err == nil && len(names) > 0 {
		err = fault.Config("run `git rm -r --cached "+ShellQuote(path)+"`, then `handoff verify`",
			"git tracks %s, which is for this machine alone", s.Opt.StateDir)
	}
	return err
}

// Tracked returns the path of a directory of the store in git's work tree, and the paths of the files below it that
// git tracks. Without git or outside of the work tree there are none. The error is fault.ErrConfig.
func (s *Store) Tracked(dir string) (path string, names []string, err error) {
	top := git.Top(s.Opt.Root)
	if top == "" {
		return "", nil, nil
	}
	state, err := Resolve(dir)
	if err != nil {
		return "", nil, err
	}
	real, err := Resolve(top)
	if err != nil {
		return "", nil, err
	}
	path, err = filepath.Rel(real, state)
	if err != nil || !filepath.IsLocal(path) {
		return "", nil, nil
	}
	path = filepath.ToSlash(path)
	names, err = git.Tracked(context.Background(), top, path)
	if err != nil {
		err = fault.Config("repair the repository, or run `handoff init --git none` outside of it",
			"git cannot say whether it tracks %s: %v", dir, err)
	}
	return path, names, err
}

// gitStamp returns the stamp of git's index, "" without one.
func (s *Store) gitStamp() string { return stamp(git.IndexFile(git.Top(s.Opt.Root))) }

// The rules that keep files from git. A tracked store leaves the documents and their signatures to it.
const (
	ignoreAll     = "*\n"
	ignoreDerived = "INDEX*.md\n.INDEX*\n.tmp-*\n.gitignore\n"
)

// hide makes git ignore what it must not have. It replaces no file.
func (s *Store) hide(dir, state *disk.Dir) error {
	err := hideIn(state, ignoreAll)
	switch {
	case err != nil || s.Opt.Git == disk.GitNone:
		return err
	case s.Opt.Git == disk.GitTracked:
		return hideIn(dir, ignoreDerived)
	}
	return hideIn(dir, ignoreAll)
}

func hideIn(d *disk.Dir, text string) error {
	if _, err := d.Stat(disk.GitIgnore); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.Replace(disk.GitIgnore, []byte(text), 0o644, true)
}
