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

// StateSecret is the name of the secret in a state directory. The secret is there only if the user has no
// writable directory outside of the project. Such a store trusts its state directory.
const StateSecret = "secret"

// Key returns the key of the journal. If there is no secret, it makes one if create is set, and otherwise
// returns the zero Key. state is the state directory, or nil if there is none.
func (s *Store) Key(state *disk.Dir, create bool) (journal.Key, error) {
	if state != nil { // it was opened without symbolic links in its path
		return s.KeyOf(state, idOf(filepath.Clean(state.Path())), create)
	}
	id, err := s.ID()
	if err != nil {
		return journal.Key{}, err
	}
	return s.KeyOf(state, id, create)
}

// KeyOf is Key for a store with another id, such as the id that this store had in another directory.
func (s *Store) KeyOf(state *disk.Dir, id string, create bool) (journal.Key, error) {
	secret, err := s.Secret(create)
	if s.cannotKeep(err) { // retry: a temporary error must not decide where the secret is kept
		secret, err = s.Secret(create)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.checkKeep() == nil:
		// nothing was written yet, so a secret in the project proves nothing
		return journal.Key{}, nil
	case errors.Is(err, fs.ErrNotExist), s.cannotKeep(err):
		if err = s.CheckUntracked(); err == nil { // a branch brings its secret along
			secret, err = secretInside(state, create)
		}
	}
	if err != nil || secret == nil {
		return journal.Key{}, err
	}
	return journal.NewKey(secret, id), nil
}

// KeepsInside returns why the secret is in the state directory, so that the store trusts that directory. It
// returns nil if the secret is elsewhere. The journal must have been opened.
func (s *Store) KeepsInside(state *disk.Dir) error {
	if _, err := state.Lstat(StateSecret); err != nil {
		return nil
	}
	_, err := s.Secret(false)
	if errors.Is(err, fs.ErrNotExist) {
		err = s.checkKeep()
	}
	return err
}

// cannotKeep reports whether an error of [Store.Secret] means that the secret cannot be kept outside of the
// project.
func (s *Store) cannotKeep(err error) bool {
	return errors.Is(err, errNoPlace) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// checkKeep returns why no secret can be made outside of the project.
func (s *Store) checkKeep() error {
	path, err := s.OutsidePath()
	if err != nil {
		return err
	}
	for !IsThere(path) && filepath.Dir(path) != path {
		path = filepath.Dir(path)
	}
	if err := mayMakeIn(path); err != nil {
		return &fs.PathError{Op: "write to", Path: path, Err: err}
	}
	return nil
}

// secretInside returns the secret of a state directory, or nil if there is none.
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
	// another process made it at the same time
	if err := d.CreateNew(secretName, secret, 0o600); errors.Is(err, fs.ErrExist) {
		return readSecret(d)
	} else if err != nil {
		return nil, err
	}
	return secret, d.Sync()
}
