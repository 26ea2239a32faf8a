//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Staged file holds content that has no published name yet.
type Staged struct {
	d     *Dir
	f     *os.File
	name  string // below d; "" when the system staged it without a name
	inode uint64
	safe  bool // the content is on disk
}

// Stage writes data to a new file in d and syncs it. Nothing refers to it until Publish. Where the
// system can, it has no name, so that a crash leaves nothing; elsewhere it is called .tmp-<random>, lies in
// the directory StagingName, and is locked for as long as this process lives.
func (d *Dir) Stage(data []byte, perm os.FileMode) (*Staged, error) {
	s, err := d.BeginStage(data, perm)
	if err != nil {
		return nil, err
	}
	return s, s.Sync()
}

// BeginStage is Stage without the sync, for who does more to the file before. Sync has to follow.
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

// ReadAt reads what was written to a file that is not synced yet.
func (s *Staged) ReadAt(data []byte, offset int64) (int, error) { return s.f.ReadAt(data, offset) }

// fill writes the content; on failure nothing of it is left.
func (s *Staged) fill(data []byte) (err error) {
	if len(data) > 0 {
		_, err = s.f.Write(data)
	}
	if err == nil {
		err = s.d.give(s.f)
	}
	var st unix.Stat_t
	if err == nil {
		err = unix.Fstat(int(s.f.Fd()), &st)
	}
	if s.inode = st.Ino; err != nil {
		s.Discard()
	}
	return err
}

// Sync returns when the content is on disk; on failure nothing of it is left.
func (s *Staged) Sync() error {
	err := s.f.Sync()
	if s.safe = err == nil; !s.safe {
		s.Discard()
	}
	return err
}

// TakeMode gives the file the mode of the file name in its directory, where the file system lets modes
// be changed.
func (s *Staged) TakeMode(name string) error {
	entry, err := s.d.Lstat(name)
	if err == nil {
		err = setMode(s.f, entry.Mode)
	}
	return err
}

// setMode does nothing where modes come from the mount, which answers EPERM.
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

// Publish gives the file, which was synced, its name. It never replaces: a name that exists is
// fs.ErrExist. Where there are no hard links, as on exFAT, the file is renamed, and has no second name
// to be published by.
func (s *Staged) Publish(name string) error {
	var err error
	switch {
	case !s.safe:
		err = errors.New("its content was not synced")
	case s.name == "":
		err = linkUnnamed(s.f, s.d.fd(), name)
	default:
		_, err = retry(func() (int, error) { return 0, unix.Linkat(s.d.fd(), s.name, s.d.fd(), name, 0) })
		if cannotLink(err) {
			_, err = retry(func() (int, error) { return 0, renameNew(s.d.fd(), s.name, name) })
			if cannotRenameNew(err) {
				err = errors.New("this file system has neither hard links nor a rename that replaces nothing; choose a directory on another one")
			}
		}
	}
	if err != nil {
		return &fs.PathError{Op: "link", Path: filepath.Join(s.d.path, name), Err: err}
	}
	return nil
}

// cannotLink reports whether the error of a link says that the file system has none: link(2).
func cannotLink(err error) bool {
	return err == unix.EPERM || err == unix.EOPNOTSUPP || err == unix.ENOTSUP || err == unix.ENOSYS
}

// Discard gives the staged file up; after Publish it only tidies, and the published name stays. The
// file is closed first: file systems in user space keep an open one under another name.
func (s *Staged) Discard() {
	s.f.Close()
	if s.name != "" {
		s.d.Remove(s.name)
		s.d.removeStaging() // unless there are others in it
	}
}
