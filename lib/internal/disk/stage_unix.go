//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Staged file has content but no published name yet.
type Staged struct {
	d    *Dir
	f    *os.File
	name string // below d; "" if the file has no name
	safe bool   // the content is on disk
}

// Stage writes data to a new file in d and syncs it. The file is invisible until Publish. If the system can,
// it has no name, so that a crash leaves nothing. Otherwise it is .tmp-<random> in the directory StagingName,
// and this process holds its lock.
func (d *Dir) Stage(data []byte, perm os.FileMode) (*Staged, error) {
	s, err := d.BeginStage(data, perm)
	if err != nil {
		return nil, err
	}
	return s, s.Sync()
}

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

// Write adds to the content of a file that is not synced yet.
func (s *Staged) Write(data []byte) (int, error) { return s.f.Write(data) }

// ReadAt reads the content of a file that is not synced yet.
func (s *Staged) ReadAt(data []byte, offset int64) (int, error) { return s.f.ReadAt(data, offset) }

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

// Sync syncs the content. If it fails, it removes the file.
func (s *Staged) Sync() error {
	err := s.f.Sync()
	if s.safe = err == nil; !s.safe {
		s.Discard()
	}
	return err
}

// TakeMode gives the file the mode of the file name in its directory, if the file system permits.
func (s *Staged) TakeMode(name string) error {
	entry, err := s.d.Lstat(name)
	if err == nil {
		err = setMode(s.f, entry.Mode)
	}
	return err
}

// setMode does nothing if the mount determines modes, which causes EPERM.
func setMode(f *os.File, mode os.FileMode) error {
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() == mode {
		return err
	}
	if err = f.Chmod(mode); errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOTSUP) {
		return nil
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
