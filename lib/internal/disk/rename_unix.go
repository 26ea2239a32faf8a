//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Rename renames an entry of any type. It never replaces: if to exists, the error is fs.ErrExist. On systems
// without such a rename, the caller must hold the lock under which such names are created.
func (d *Dir) Rename(from, to string) error {
	err := again(func() error { return renameNew(d.fd(), from, to) })
	if cannotRenameNew(err) {
		if _, err = d.Lstat(to); err == nil {
			err = unix.EEXIST
		} else if errors.Is(err, fs.ErrNotExist) {
			err = again(func() error { return unix.Renameat(d.fd(), from, d.fd(), to) })
		}
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: filepath.Join(d.path, from), New: filepath.Join(d.path, to), Err: err}
	}
	return nil
}

// Link gives a file a second name, which must not exist.
func (d *Dir) Link(from, to string) error {
	err := again(func() error { return unix.Linkat(d.fd(), from, d.fd(), to, 0) })
	if err != nil {
		return &os.LinkError{Op: "link", Old: filepath.Join(d.path, from), New: filepath.Join(d.path, to), Err: err}
	}
	return nil
}

// cannotRenameNew reports whether the system or the file system does not support renameNew.
func cannotRenameNew(err error) bool {
	return err == unix.EINVAL || err == unix.ENOSYS || err == unix.EOPNOTSUPP || err == unix.ENOTSUP
}
