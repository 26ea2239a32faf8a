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
	return d.linkError("rename", from, to, err)
}

// Link gives a file a second name, which must not exist.
func (d *Dir) Link(from, to string) error {
	err := again(func() error { return unix.Linkat(d.fd(), from, d.fd(), to, 0) })
	return d.linkError("link", from, to, err)
}

// linkError returns the error of a call with two names, or nil.
func (d *Dir) linkError(op, from, to string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: filepath.Join(d.path, from), New: filepath.Join(d.path, to), Err: err}
}

// cannotRenameNew reports whether the system or the file system does not support renameNew.
func cannotRenameNew(err error) bool {
	return err == unix.EINVAL || err == unix.ENOSYS || err == unix.EOPNOTSUPP || err == unix.ENOTSUP
}

// RenameOver renames a file, and replaces any file of the new name. Like all verbs without a sync, it is for a change
// that a journal has already made durable.
func (d *Dir) RenameOver(from, to string) error {
	err := again(func() error { return unix.Renameat(d.fd(), from, d.fd(), to) })
	return d.linkError("rename", from, to, err)
}
