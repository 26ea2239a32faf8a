//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Staged file holds content that is on disk and has no published name yet.
type Staged struct {
	d    *Dir
	f    *os.File
	name string // below d; "" when the system staged it without a name
	data []byte
	perm os.FileMode
}

// Stage writes data to a new file in d and syncs it. Nothing refers to it until Publish. Where the
// system can, it has no name, so that a crash leaves nothing; elsewhere it is called .tmp-<random>, lies in
// the directory StagingName, and is locked for as long as this process lives.
func (d *Dir) Stage(data []byte, perm os.FileMode) (*Staged, error) {
	f, err := openUnnamed(d, perm)
	if errors.Is(err, errors.ErrUnsupported) {
		return d.stageNamed(data, perm)
	}
	if err != nil {
		return nil, err
	}
	s := &Staged{d: d, f: f, data: data, perm: perm}
	return s, s.fill()
}

// fill writes and syncs the content; on failure nothing of it is left.
func (s *Staged) fill() error {
	_, err := s.f.Write(s.data)
	if err == nil {
		err = s.f.Sync()
	}
	if err != nil {
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

// Publish gives the file its name. It never replaces: a name that exists is fs.ErrExist.
func (s *Staged) Publish(name string) error {
	var err error
	if s.name == "" {
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
