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
	f, err := openUnnamed(d, perm)
	s := &Staged{d: d, f: f}
	if errors.Is(err, errors.ErrUnsupported) {
		s, err = d.createNamed(perm)
	}
	if err != nil {
		return nil, err
	}
	if err := s.fill(data); err != nil {
		return nil, err
	}
	return s, nil
}

// fill writes the content. If it fails, it removes the file.
func (s *Staged) fill(data []byte) (err error) {
	if len(data) > 0 {
		_, err = s.f.Write(data)
	}
	if err == nil {
		err = s.d.give(s.f)
	}
	if err != nil {
		s.Discard()
	}
	return err
}

// Publish gives the synced file its name. It never replaces: if name exists, the error is fs.ErrExist. On a
// file system without hard links, such as exFAT, it renames the file, so that you can publish the file only
// once.
func (s *Staged) Publish(name string) error {
	var err error
	switch {
	case !s.safe:
		err = errors.New("its content was not synced")
	case s.name == "":
		err = linkUnnamed(s.f, s.d.fd(), name)
	default:
		err = again(func() error { return unix.Linkat(s.d.fd(), s.name, s.d.fd(), name, 0) })
		if cannotLink(err) {
			err = again(func() error { return renameNew(s.d.fd(), s.name, name) })
			if cannotRenameNew(err) {
				err = errors.New("this file system has neither hard links nor a rename that replaces nothing; " +
					"choose a directory on another one")
			}
		}
	}
	if err != nil {
		return &fs.PathError{Op: "link", Path: filepath.Join(s.d.path, name), Err: err}
	}
	return nil
}

// cannotLink reports whether the file system has no hard links: link(2).
func cannotLink(err error) bool {
	return err == unix.EPERM || err == unix.EOPNOTSUPP || err == unix.ENOTSUP || err == unix.ENOSYS
}

// Discard removes the staged file. After Publish the published name stays. Discard closes the file first,
// since file systems in user space keep an open file under another name.
func (s *Staged) Discard() {
	s.f.Close()
	if s.name != "" {
		s.d.Remove(s.name)
		s.d.removeStaging() // fails if it has other files
	}
}
