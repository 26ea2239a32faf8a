//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Rename gives the entry from, whatever it is, the name to. It never replaces: a name that exists is
// fs.ErrExist. Where the system cannot promise that, the caller holds the lock under which alone such
// names are made.
func (d *Dir) Rename(from, to string) error {
	_, err := retry(func() (int, error) { return 0, renameNew(d.fd(), from, to) })
	if cannotRenameNew(err) {
		if _, err = d.Lstat(to); err == nil {
			err = unix.EEXIST
		} else if errors.Is(err, fs.ErrNotExist) {
			_, err = retry(func() (int, error) { return 0, unix.Renameat(d.fd(), from, d.fd(), to) })
		}
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: filepath.Join(d.path, from), New: filepath.Join(d.path, to), Err: err}
	}
	return nil
}

// Link gives a file a second name, which must not exist.
func (d *Dir) Link(from, to string) error {
	_, err := retry(func() (int, error) { return 0, unix.Linkat(d.fd(), from, d.fd(), to, 0) })
	if err != nil {
		return &os.LinkError{Op: "link", Old: filepath.Join(d.path, from), New: filepath.Join(d.path, to), Err: err}
	}
	return nil
}

// cannotRenameNew reports whether the error of renameNew says that the system or the file system does
// not know it.
func cannotRenameNew(err error) bool {
	return err == unix.EINVAL || err == unix.ENOSYS || err == unix.EOPNOTSUPP || err == unix.ENOTSUP
}
