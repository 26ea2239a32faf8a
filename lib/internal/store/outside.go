package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// The program keeps its own files outside of every project, since others can add files to a project: with a
// clone, a merge or a checkout. A file in a project proves nothing.
//
//	<state of the user>/handoff/    Options.UserState
//	  secret                        32 random bytes, 0600: authenticates what this user wrote
//	  <store id>/                   the files of one store: see [Store.Outside]
const (
	secretName  = StateSecret
	secretBytes = 32
)

const outsideAdvice = "set HOME, or XDG_STATE_HOME, to a directory of your own outside of the project"

// ID returns the id of the store among those of a user: 32 hexadecimal digits. It follows from the real path
// of the state directory, so a moved or copied store has another id.
func (s *Store) ID() (string, error) {
	real, err := Resolve(s.Opt.StateDir)
	if err != nil {
		return "", err
	}
	return idOf(real), nil
}

func idOf(stateDir string) string {
	return jsontree.SHA256Hex([]byte("handoff store\n" + stateDir))[:32]
}

// errNoPlace is wrapped by errors that say that the user has no directory outside of the project.
var errNoPlace = errors.New("no place")

func noPlace(problem string) error {
	return &fault.Error{Class: fault.ErrConfig, Problem: problem, Advice: outsideAdvice, Cause: errNoPlace}
}

// Outside opens the directory of the store in the user's state, and makes it if it is missing. If there is no
// such directory, or it is in the project, the error is ErrConfig.
func (s *Store) Outside() (*disk.Dir, error) {
	path, err := s.OutsidePath()
	if err != nil {
		return nil, err
	}
	d, err := s.openOnce(path, makePrivate)
	return d, PlaceError(path, err)
}

func makePrivate(path string) (*disk.Dir, error) { return disk.MakeDir(path, 0o700) }

// OutsidePath returns the path of the directory that [Store.Outside] opens, without making it. It has no symbolic
// link, and is found once.
func (s *Store) OutsidePath() (string, error) {
	if path := s.outside.Load(); path != nil {
		return *path, nil
	}
	path, err := s.findOutside()
	if err == nil {
		s.outside.Store(&path)
	}
	return path, err
}

func (s *Store) findOutside() (string, error) {
	if s.Opt.UserState == "" {
		return "", noPlace("there is no directory for your state")
	}
	real, err := Resolve(s.Opt.UserState)
	if err != nil {
		return "", err
	}
	inside := []string{s.Opt.Dir, s.Opt.StateDir}
	if IsThere(filepath.Join(s.Opt.Root, ".git")) { // a project without git receives no files from others
		inside = append(inside, s.Opt.Root)
	}
	for i, dir := range inside {
		if inside[i], err = Resolve(dir); err != nil {
			return "", err
		}
		if contains(inside[i], real) {
			return "", noPlace(fmt.Sprintf("the directory of your state, %s, is inside the project, where others "+
				"can add files", s.Opt.UserState))
		}
	}
	return filepath.Join(real, idOf(inside[1])), nil
}

// Secret returns the secret of the user. If there is none, it makes one if create is set, and otherwise the
// error is fs.ErrNotExist. If the file has the wrong length or others can read it, the error is ErrIntegrity.
func (s *Store) Secret(create bool) ([]byte, error) {
	path, err := s.OutsidePath()
	if err != nil {
		return nil, err
	}
	path = filepath.Dir(path)
	open := disk.OpenDir
	if create {
		open = makePrivate
	}
	d, err := s.openOnce(path, open)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	secret, err := readSecret(d)
	if !create || !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	return makeSecret(d)
}

// SyncSecret syncs the directories of the secret, before a journal relies on it: the process that made the
// secret may have been killed before it did so. A secret in the state directory is synced with the journal.
func (s *Store) SyncSecret() error {
	path, err := s.OutsidePath()
	if err != nil {
		return nil
	}
	dir := filepath.Dir(path)
	top := filepath.Dir(filepath.Dir(filepath.Dir(dir))) // the parent of .local/state/handoff, which may be new too
	err = disk.SyncParents(top, filepath.Join(dir, secretName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

func readSecret(d *disk.Dir) ([]byte, error) {
	text, entry, err := d.AppendEntry(nil, secretName, secretBytes)
	path := filepath.Join(d.Path(), secretName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, fault.Integrity("check the file; without it your changes cannot be proven",
			"%s: %v", path, err)
	case len(text) != secretBytes:
		return nil, fault.Integrity(
			"restore it from a backup, or move it away and run `handoff machine-fingerprint regenerate` in each store",
			"%s does not have %d bytes", path, secretBytes)
	case entry.Mode.Perm()&0o077 != 0:
		return nil, fault.Integrity("run `chmod 600 "+ShellQuote(path)+"` if no one else has read it",
			"other users can read %s", path)
	}
	return text, nil
}
