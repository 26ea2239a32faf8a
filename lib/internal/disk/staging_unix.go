//go:build unix

package disk

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// attempts limits the retries after another process removed an empty staging directory.
const attempts = 100

// openStaging opens the directory in d for staged files with names.
func (d *Dir) openStaging() (*Dir, error) {
	path := filepath.Join(d.path, StagingName)
	fd, err := d.openat(StagingName, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EMLINK) {
		return nil, unsafeEntry(path, "not a directory")
	}
	if err != nil {
		return nil, err
	}
	return &Dir{f: os.NewFile(uintptr(fd), path), path: path}, nil
}

// makeStaging is openStaging, and makes a missing directory, for all users who may write in d.
func (d *Dir) makeStaging() (*Dir, error) {
	staging, err := d.openStaging()
	if !errors.Is(err, fs.ErrNotExist) {
		return staging, err
	}
	info, err := d.Stat()
	if err != nil {
		return nil, err
	}
	mode := uint32(info.Mode().Perm())
	if info.Mode()&os.ModeSticky != 0 {
		mode |= unix.S_ISVTX
	}
	made := again(func() error { return unix.Mkdirat(d.fd(), StagingName, mode) })
	if made != nil && made != unix.EEXIST {
		return nil, &fs.PathError{Op: "mkdir", Path: filepath.Join(d.path, StagingName), Err: made}
	}
	if staging, err = d.openStaging(); err == nil {
		unix.Fchmod(staging.fd(), mode) // the umask may have excluded others, who would get an error
		if made == nil {
			giveTo(info, staging.f)
		}
	}
	return staging, err
}

// createNamed creates an empty, locked file.
func (d *Dir) createNamed(perm os.FileMode) (s *Staged, err error) {
	for range attempts {
		s, err = d.tryNamed(perm)
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return s, err
}

// tryNamed fails with fs.ErrNotExist if another process removed the directory as empty, or the file as a
// leftover before it was locked.
func (d *Dir) tryNamed(perm os.FileMode) (*Staged, error) {
	staging, err := d.makeStaging()
	if err != nil {
		return nil, err
	}
	defer staging.Close()
	var random [randomLen]byte
	rand.Read(random[:])
	name := TempPrefix + hex.EncodeToString(random[:])
	fd, err := staging.openat(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, uint32(perm.Perm()))
	if err != nil {
		return nil, err
	}
	s := &Staged{d: d, f: os.NewFile(uintptr(fd), filepath.Join(staging.path, name)), name: StagingName + "/" + name}
	err = lockNow(s.f)
	var st unix.Stat_t
	if err == nil {
		err = unix.Fstat(fd, &st)
	}
	if err == unix.EWOULDBLOCK || (err == nil && st.Nlink == 0) {
		err = unix.ENOENT
	}
	if err != nil {
		s.Discard()
		return nil, &fs.PathError{Op: "stage", Path: s.f.Name(), Err: err}
	}
	return s, nil
}

// CollectStaged removes what killed writers staged by name in d, and the empty staging directory. If there is
// nothing, it costs one failed open. It leaves what it cannot remove to the next call.
func (d *Dir) CollectStaged() {
	staging, err := d.openStaging()
	if err != nil {
		return
	}
	staging.RemoveUnlocked(isTemp)
	staging.Close()
	d.removeStaging()
}

func (d *Dir) removeStaging() {
	again(func() error { return unix.Unlinkat(d.fd(), StagingName, unix.AT_REMOVEDIR) })
}

// stagedLinks returns how many names of a file are in the staging directory: a published file has one there
// until its writer is done.
func (d *Dir) stagedLinks(inode uint64) (n uint64, err error) {
	staging, err := d.openStaging()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer staging.Close()
	_, err = staging.Names(func(name string) bool {
		if entry, err := staging.Lstat(name); err == nil && entry.Inode == inode {
			n++
		}
		return false
	})
	return n, err
}
