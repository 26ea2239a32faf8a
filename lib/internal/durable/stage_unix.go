//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Staged file holds content that has no published name yet.
type Staged struct {
	d    *Dir
	f    *os.File
	name string // below d; "" when the system staged it without a name
	safe bool   // the content is on disk
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

// BeginStage is Stage without the sync, for who stages many files. BeginSync for all of them and then Sync for
// each have to follow: so they wait for the disk together.
func (d *Dir) BeginStage(data []byte, perm os.FileMode) (*Staged, error) {
	f, err := openUnnamed(d, perm)
	s := &Staged{d: d, f: f}
	if errors.Is(err, errors.ErrUnsupported) {
		s, err = d.createNamed(perm)
	}
	if err != nil {
		return nil, err
	}
	if _, err = s.f.Write(data); err == nil {
		err = d.give(s.f)
	}
	if err != nil {
		s.Discard()
		return nil, err
	}
	return s, nil
}

// BeginSync asks the system to begin writing the content to the disk, and waits for nothing.
func (s *Staged) BeginSync() { beginSync(s.f) }

// Sync returns when the content is on disk; on failure nothing of it is left.
func (s *Staged) Sync() error {
	err := s.f.Sync()
	if s.safe = err == nil; !s.safe {
		s.Discard()
	}
	return err
}

// Named reports whether a crash now would leave a .tmp- file behind.
func (s *Staged) Named() bool { return s.name != "" }

// Inode returns the inode number of the file, which Publish keeps.
func (s *Staged) Inode() (uint64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(s.f.Fd()), &st); err != nil {
		return 0, &fs.PathError{Op: "stat", Path: s.f.Name(), Err: err}
	}
	return st.Ino, nil
}

// TakeMode gives the file the mode of the file name in its directory.
func (s *Staged) TakeMode(name string) error {
	entry, err := s.d.Lstat(name)
	if err == nil {
		err = s.f.Chmod(entry.Mode)
	}
	return err
}

// Publish gives the file, which was synced, its name. It never replaces: a name that exists is fs.ErrExist.
func (s *Staged) Publish(name string) error {
	var err error
	if !s.safe {
		err = errors.New("its content was not synced")
	} else if s.name == "" {
		err = linkUnnamed(s.f, s.d.fd(), name)
	} else {
		_, err = retry(func() (int, error) { return 0, unix.Linkat(s.d.fd(), s.name, s.d.fd(), name, 0) })
	}
	if err != nil {
		return &fs.PathError{Op: "link", Path: filepath.Join(s.d.path, name), Err: err}
	}
	return nil
}

// Discard gives the staged file up; after Publish it only tidies, and the published name stays.
func (s *Staged) Discard() {
	if s.name != "" {
		s.d.Remove(s.name)
		s.d.removeStaging() // unless there are others in it
	}
	s.f.Close()
}
