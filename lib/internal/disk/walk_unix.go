//go:build unix

package disk

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// OpenDir opens the directory at path. A symbolic link is ErrUnsafe, and so is an entry that is not a directory; links
// above it are followed.
func OpenDir(path string) (*Dir, error) {
	fd, err := openStep(unix.AT_FDCWD, path, dirFlags)
	return asDir(fd, path, err)
}

func openStep(at int, name string, flags int) (int, error) {
	return retry(func() (int, error) { return unix.Openat(at, name, flags, 0) })
}

// asDir returns the Dir of a descriptor that was opened with dirFlags.
func asDir(fd int, path string, err error) (*Dir, error) {
	switch {
	case err == nil:
		return &Dir{f: os.NewFile(uintptr(fd), path), path: path}, nil
	case err == unix.ELOOP, err == unix.ENOTDIR, err == unix.EMLINK:
		return nil, unsafeEntry(path, "not a directory (symbolic links are refused)")
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: err}
}

// OpenDir opens the directory name in d.
func (d *Dir) OpenDir(name string) (*Dir, error) {
	fd, err := openStep(d.fd(), name, dirFlags)
	below, err := asDir(fd, filepath.Join(d.path, name), err)
	if err == nil && d.view != nil {
		below.view = d.view.Below(name)
	}
	return below, err
}

// Reopen opens d again, without a view. Use it after a failure, since an old descriptor may hide the next
// one.
func (d *Dir) Reopen() (*Dir, error) {
	fd, err := openStep(d.fd(), ".", dirFlags)
	return asDir(fd, d.path, err)
}

// MakeDir opens the directory name in d, and makes it durably if it is missing.
func (d *Dir) MakeDir(name string, perm os.FileMode) (*Dir, error) {
	failed := again(func() error { return unix.Mkdirat(d.fd(), name, uint32(perm.Perm())) })
	if failed != nil && failed != unix.EEXIST {
		return nil, &fs.PathError{Op: "mkdir", Path: filepath.Join(d.path, name), Err: failed}
	}
	made, err := d.OpenDir(name)
	if err != nil {
		return nil, err
	}
	if failed == nil {
		err = d.giveDir(made)
	}
	if err == nil {
		err = d.syncIfItCan()
	}
	if err != nil {
		made.Close()
		return nil, err
	}
	return made, nil
}
