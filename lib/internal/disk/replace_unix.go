//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// Replace puts data behind name in one atomic step: readers see the old content or the new, and after a
// power cut one of the two is there. The content is synced before the rename; the caller makes the
// rename durable with Sync. An existing file keeps its mode and owner, a new one gets perm less the umask.
func (d *Dir) Replace(name string, data []byte, perm os.FileMode) error {
	const tries = 3 // who removes what dead writers left may have seen the file before it was locked
	for n := 1; ; n++ {
		if err := d.ReplaceIf(name, data, perm, nil); n == tries || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}

// ReplaceIf is Replace for files that others write too: check is asked between the sync of the content and
// the rename, and what it returns calls the rename off. nil asks nothing.
func (d *Dir) ReplaceIf(name string, data []byte, perm os.FileMode, check func() error) error {
	root, err := d.root()
	if err != nil {
		return err
	}
	defer root.Close()
	pending, err := d.pending(root, name, data, perm)
	if err != nil {
		return d.replaceError(name, err)
	}
	defer pending.Cleanup()
	if check == nil {
		return d.replaceError(name, pending.CloseAtomicallyReplace())
	}
	if err := pending.Sync(); err != nil {
		return d.replaceError(name, err)
	}
	if err := check(); err != nil {
		return err
	}
	return d.replaceError(name, root.Rename(filepath.Base(pending.Name()), name)) // CloseAtomicallyReplace would sync, and wait, once more
}

// replaceError names the file in an error about the temporary one, whose name helps nobody.
func (d *Dir) replaceError(name string, err error) error {
	var link *os.LinkError
	var path *fs.PathError
	switch {
	case errors.As(err, &link):
		err = link.Err
	case errors.As(err, &path):
		err = path.Err
	default:
		return err
	}
	return &fs.PathError{Op: "replace", Path: filepath.Join(d.path, name), Err: err}
}

// pending is the temporary file with its content, mode and owner.
func (d *Dir) pending(root *os.Root, name string, data []byte, perm os.FileMode) (*renameio.PendingFile, error) {
	old, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return nil, err
	case !old.Mode().IsRegular(): // renameio would replace a symbolic link without a word
		return nil, unsafeEntry(name, "not a regular file")
	}
	if old != nil {
		perm = old.Mode().Perm()
	}
	pending, err := renameio.NewPendingFile(name, renameio.WithRoot(root), renameio.WithPermissions(perm))
	if err != nil {
		return nil, err
	}
	_ = unix.Flock(int(pending.Fd()), unix.LOCK_EX|unix.LOCK_NB) // its writer lives
	if old == nil {
		err = d.give(pending.File)
	} else if err = keepOwner(pending.File, old); err == nil {
		err = setMode(pending.File, perm)
	}
	if err == nil {
		_, err = pending.Write(data)
	}
	if err != nil {
		return nil, errors.Join(err, pending.Cleanup())
	}
	return pending, nil
}

// root opens d for renameio, by path: the standard library cannot make a Root from a descriptor. That it
// is the same directory is checked.
func (d *Dir) root() (*os.Root, error) {
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil {
		var info os.FileInfo
		if info, err = d.Stat(); err == nil && !os.SameFile(opened, info) {
			err = fmt.Errorf("%s: the directory was replaced while it was in use", d.path)
		}
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}
