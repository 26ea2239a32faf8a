//go:build unix

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// ReplaceIf is Replace for files that other programs write too. It calls check between the sync of the
// content and the rename; an error of check cancels the rename. check may be nil.
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
	// CloseAtomicallyReplace would sync once more
	return d.replaceError(name, root.Rename(filepath.Base(pending.Name()), name))
}

// pending returns the temporary file with its content, mode and owner.
func (d *Dir) pending(root *os.Root, name string, data []byte, perm os.FileMode) (*renameio.PendingFile, error) {
	old, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return nil, err
	case !old.Mode().IsRegular(): // renameio would silently replace a symbolic link
		return nil, unsafeEntry(name, "not a regular file")
	}
	if old != nil {
		perm = old.Mode().Perm()
	}
	pending, err := renameio.NewPendingFile(name, renameio.WithRoot(root), renameio.WithPermissions(perm))
	if err != nil {
		return nil, err
	}
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

// root opens d for renameio by path, since os cannot make a Root from a descriptor. It checks that the
// directory is the same.
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

// Prepare creates the file that will replace like, with the mode and owner of like. A new file gets perm less
// the umask. Prepare does not sync.
func (d *Dir) Prepare(like string, data []byte, perm os.FileMode) (*Prepared, error) {
	root, err := d.root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	pending, err := d.pending(root, like, data, perm)
	if err != nil {
		return nil, d.replaceError(like, err)
	}
	p := &Prepared{d, filepath.Base(pending.Name())}
	if err := pending.File.Close(); err != nil {
		p.Discard()
		return nil, d.replaceError(like, err)
	}
	return p, nil
}
