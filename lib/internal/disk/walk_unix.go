//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const dirFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// OpenDir opens the directory at path. A symbolic link anywhere in path is ErrUnsafe, and so is an entry that
// is not a directory. So the result is always the directory that the path names, even if directories are
// renamed meanwhile.
func OpenDir(path string) (*Dir, error) {
	fd, err := openBeneath(path)
	if errors.Is(err, errors.ErrUnsupported) {
		fd, err = walk(path)
	}
	return asDir(fd, path, err)
}

// walk is OpenDir step by step, for systems that cannot do it in one call.
func walk(path string) (fd int, err error) {
	at, rest := unix.AT_FDCWD, filepath.Clean(path)
	if filepath.IsAbs(rest) {
		if at, err = openStep(at, "/", stepFlags); err != nil {
			return -1, err
		}
		rest = "." + rest
	}
	for isMore := true; isMore; {
		var name string
		flags := stepFlags
		if name, rest, isMore = strings.Cut(rest, "/"); !isMore || rest == "" {
			isMore, flags = false, dirFlags
		}
		fd, err = openStep(at, name, flags)
		if at != unix.AT_FDCWD {
			unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at = fd
	}
	return fd, nil
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
