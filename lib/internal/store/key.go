package store

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// StateSecret is the name of the secret where it has to lie in the state directory, because the user has no
// place outside of the project that can be written: such a store believes its directory.
const StateSecret = "secret"

// Key returns the key of the journal, and makes the secret where there is none if create is set; without
// that the zero Key says that there is none. state is the state directory, nil if there is none.
func (s *Store) Key(state *disk.Dir, create bool) (journal.Key, error) {
	if state != nil { // which was opened without symbolic links in its path
		return s.KeyOf(state, idOf(filepath.Clean(state.Path())), create)
	}
	id, err := s.ID()
	if err != nil {
		return journal.Key{}, err
	}
	return s.KeyOf(state, id, create)
}

// KeyOf is Key for a store of another id, such as this one had in another place.
func (s *Store) KeyOf(state *disk.Dir, id string, create bool) (journal.Key, error) {
	secret, err := s.Secret(create)
	if s.cannotKeep(err) { // an error that passes must not decide where the secret of a store lies from then on
		secret, err = s.Secret(create)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.couldKeep(): // nobody has written yet: what lies inside proves nothing
		return journal.Key{}, nil
	case errors.Is(err, fs.ErrNotExist), s.cannotKeep(err):
		secret, err = secretInside(state, create)
	}
	if err != nil || secret == nil {
		return journal.Key{}, err
	}
	return journal.NewKey(secret, id), nil
}

// KeepsInside says why the secret of a store lies in its state directory, so that it believes whatever lies
// there; nil if it does not.
func (s *Store) KeepsInside(state *disk.Dir) error {
	if _, err := state.Lstat(StateSecret); err != nil {
		return nil
	}
	_, err := s.OutsidePath()
	return err
}

// cannotKeep reports whether an error of [Store.Secret] says that there is no place for it.
func (s *Store) cannotKeep(err error) bool {
	return errors.Is(err, errNoPlace) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// couldKeep reports whether a secret could be made outside of the project.
func (s *Store) couldKeep() bool {
	path, err := s.OutsidePath()
	for ; err == nil && filepath.Dir(path) != path; path = filepath.Dir(path) {
		if IsThere(path) {
			return mayMakeIn(path) == nil
		}
	}
	return false
}

// secretInside returns the secret of a state directory, nil where there is none.
func secretInside(state *disk.Dir, create bool) ([]byte, error) {
	if state == nil {
		return nil, nil
	}
	secret, err := readSecret(state)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if !create {
		return nil, nil
	}
	return makeSecret(state)
}

// makeSecret makes the file of the secret in a directory, durably.
func makeSecret(d *disk.Dir) ([]byte, error) {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never fails
	staged, err := d.Stage(secret, 0o600)
	if err != nil {
		return nil, err
	}
	defer staged.Discard()
	if err := staged.Publish(secretName); errors.Is(err, fs.ErrExist) { // by another process, at the same time
		return readSecret(d)
	} else if err != nil {
		return nil, err
	}
	return secret, d.Sync()
}
