//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// BeginStage is Stage without the sync. The caller may write more, and must call Sync.
func (d *Dir) BeginStage(data []byte, perm os.FileMode) (*Staged, error) {
	f, name, err := d.CreateTemp(TempPrefix, randomLen, perm)
	if err != nil {
		return nil, err
	}
	s := &Staged{d: d, f: f, name: name}
	if _, err := f.Write(data); err != nil {
		s.Discard()
		return nil, err
	}
	return s, nil
}

// Publish gives the synced file its name. It never replaces: if name exists, the error is fs.ErrExist. You can publish
// the file only once.
func (s *Staged) Publish(name string) error {
	if !s.safe {
		return errors.New(name + ": its content was not synced")
	}
	err := again(func() error { return renameNew(s.d.fd(), s.name, name) })
	if cannotRenameNew(err) {
		if err = again(func() error { return unix.Linkat(s.d.fd(), s.name, s.d.fd(), name, 0) }); err == nil {
			err = s.d.Remove(s.name)
		}
	}
	if err != nil {
		return &fs.PathError{Op: "link", Path: filepath.Join(s.d.path, name), Err: err}
	}
	s.name = ""
	return nil
}

// Discard removes the staged file, unless it is published. It closes the file first, since file systems in user space
// keep an open file under another name.
func (s *Staged) Discard() {
	s.f.Close()
	if s.name != "" {
		s.d.Remove(s.name)
	}
}
