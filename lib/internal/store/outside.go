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

// What the program keeps for a user lies outside every project, because others put files into a project:
// a clone, a merge, a branch that is checked out. Nothing there proves anything by lying there.
//
//	<state of the user>/handoff/    Options.UserState
//	  secret                        32 random bytes, 0600: authenticates what this user wrote
//	  <store id>/                   what belongs to one store: see [Store.Outside]
const (
	secretName  = StateSecret
	secretBytes = 32
)

const outsideAdvice = "set HOME, or XDG_STATE_HOME, to a directory of your own outside of the project"

// ID names the store among those of a user: 32 hexadecimal digits that follow from where its state
// directory really is. A store that was moved or copied has another one.
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

// errNoPlace is wrapped by the errors that say that the user has no place outside of the project.
var errNoPlace = errors.New("no place")

func noPlace(problem string) error {
	return &fault.Error{Class: fault.ErrConfig, Problem: problem, Advice: outsideAdvice, Cause: errNoPlace}
}

// Outside opens the directory of the store in the user's state, and makes it where it is missing. It is
// ErrConfig where there is no such place, or where it lies in the project.
func (s *Store) Outside() (*disk.Dir, error) {
	path, err := s.OutsidePath()
	if err != nil {
		return nil, err
	}
	d, err := disk.MakeDir(path, 0o700)
	return d, PlaceError(path, err)
}

// OutsidePath returns the path that [Store.Outside] opens, without making it.
func (s *Store) OutsidePath() (string, error) {
	if s.Opt.UserState == "" {
		return "", noPlace("there is no directory for the state of the user")
	}
	real, err := Resolve(s.Opt.UserState)
	if err != nil {
		return "", err
	}
	inside := []string{s.Opt.Dir, s.Opt.StateDir}
	if IsThere(filepath.Join(s.Opt.Root, ".git")) { // a project without git brings nothing along
		inside = append(inside, s.Opt.Root)
	}
	for i, dir := range inside {
		if inside[i], err = Resolve(dir); err != nil {
			return "", err
		}
		if contains(inside[i], real) {
			return "", noPlace(fmt.Sprintf("the state of the user, %s, lies inside the project, where others may put files", s.Opt.UserState))
		}
	}
	return filepath.Join(real, idOf(inside[1])), nil
}

// Secret returns the secret of the user, and makes it where there is none if create is set; without that
// the error is fs.ErrNotExist. A file of another length, or one that others may read, is ErrIntegrity.
func (s *Store) Secret(create bool) ([]byte, error) {
	path, err := s.OutsidePath()
	if err != nil {
		return nil, err
	}
	path = filepath.Dir(path)
	open := disk.OpenDir
	if create {
		open = func(path string) (*disk.Dir, error) { return disk.MakeDir(path, 0o700) }
	}
	d, err := open(path)
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

// SyncSecret makes the name of the secret survive a power cut, before a journal relies on it: the process that made
// it may have died before that. A secret in the state directory is synced with the journal.
func (s *Store) SyncSecret() error {
	path, err := s.OutsidePath()
	if err != nil {
		return nil
	}
	dir := filepath.Dir(path)
	top := filepath.Dir(filepath.Dir(filepath.Dir(dir))) // of .local/state/handoff, which may be as new
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
		return nil, &fault.Error{Class: fault.ErrIntegrity, Problem: fmt.Sprintf("%s: %v", path, err), Cause: err,
			Advice: "look at it; without it the changes of this user cannot be proven"}
	case len(text) != secretBytes:
		return nil, fault.New(fault.ErrIntegrity, "bring it back from a backup, or move it away and run `handoff machine-fingerprint regenerate` in each store",
			"%s does not have %d bytes", path, secretBytes)
	case entry.Mode.Perm()&0o077 != 0:
		return nil, fault.New(fault.ErrIntegrity, "run `chmod 600 "+ShellQuote(path)+"` if nobody else has read it", "%s can be read by others", path)
	}
	return text, nil
}
