package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// A Dir is an open directory. Its methods take plain names and never leave the directory.
type Dir struct {
	f    *os.File
	path string
	view View // nil shows the files as they are

	users  *atomic.Int32 // of f; nil for one
	closed bool          // if there are several
}

// Path returns the path that d was opened with.
func (d *Dir) Path() string { return d.path }

// Stat describes the open directory itself.
func (d *Dir) Stat() (os.FileInfo, error) { return d.f.Stat() }

// Share returns the same directory, with a view of its own. It has one lock with d, so it must not be locked.
func (d *Dir) Share() *Dir {
	if d.users == nil {
		d.users = new(atomic.Int32)
		d.users.Store(1)
	}
	d.users.Add(1)
	return &Dir{f: d.f, path: d.path, users: d.users}
}

// Close closes the directory, if it is the last one of those that share it.
func (d *Dir) Close() error {
	isLast := d.users == nil || !d.closed && d.users.Add(-1) == 0
	if d.closed = d.users != nil; !isLast {
		return nil
	}
	return d.f.Close()
}

// Sync makes all published, replaced and removed names in d survive a power cut.
func (d *Dir) Sync() error { return d.f.Sync() }

// File returns the open directory. A child process that inherits it holds its lock too.
func (d *Dir) File() *os.File { return d.f }

// abandoned is the age of an unfinished file that no command needs any more.
const abandoned = time.Hour

// RemoveStaged removes the unfinished files of killed processes in d, and returns their names: see IsStaged.
// It reads the whole directory.
func (d *Dir) RemoveStaged(isReplaced func(string) bool) ([]string, error) {
	return d.RemoveOld(func(name string) bool { return IsStaged(name, isReplaced) })
}

// RemoveOld removes the files that isOurs accepts and that were not changed for an hour, and returns their names.
func (d *Dir) RemoveOld(isOurs func(string) bool) (removed []string, err error) {
	names, err := d.Names(isOurs)
	for _, name := range names {
		if !d.isOld(name) {
			continue
		}
		if failed := d.Remove(name); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		removed = append(removed, name)
	}
	return removed, err
}

func (d *Dir) isOld(name string) bool {
	f, err := d.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	return err == nil && time.Since(info.ModTime()) >= abandoned
}

// Lock takes the exclusive lock of the directory itself, so that no lock file is left behind. It waits at
// most for wait, and then returns ErrHeld, or the cause of ctx if that is done first. Unlock and Close
// release the lock. On file systems that cannot lock directories (NFS), Lock does nothing.
func (d *Dir) Lock(ctx context.Context, wait time.Duration) error {
	for until := time.Now().Add(wait); ; {
		err := lockNow(d.f)
		switch {
		case err == nil, err == syscall.EBADF, err == syscall.ENOLCK, err == syscall.EOPNOTSUPP, err == syscall.ENOSYS,
			err == syscall.EINVAL:
			return nil
		case err != syscall.EWOULDBLOCK:
			return &os.PathError{Op: "lock", Path: d.path, Err: err}
		case time.Now().After(until):
			return &os.PathError{Op: "lock", Path: d.path, Err: ErrHeld}
		}
		select {
		case <-ctx.Done():
			return &os.PathError{Op: "lock", Path: d.path, Err: context.Cause(ctx)}
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// MakeDir is OpenDir, and makes a missing directory and its missing parents. It syncs every directory that it
// changed, so that the new ones survive a power cut. A directory that root makes belongs to the owner of its
// parent.
func MakeDir(path string, perm os.FileMode) (*Dir, error) {
	d, err := OpenDir(path)
	if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
		return d, err
	}
	parent, err := MakeDir(filepath.Dir(path), perm)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	return parent.MakeDir(filepath.Base(path), perm)
}

// SyncParents syncs the directories that hold paths, up to top. For a path outside of top it syncs only the
// parent. It skips a directory without read permission, since this user did not make it.
func SyncParents(top string, paths ...string) error {
	synced := make(map[string]bool)
	for _, path := range paths {
		for isWithin := true; isWithin; {
			path = filepath.Dir(path)
			if synced[path] {
				break // and all above it
			}
			synced[path] = true
			if err := syncPath(path); err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			within, err := filepath.Rel(top, path)
			isWithin = err == nil && within != "." && filepath.IsLocal(within)
		}
	}
	return nil
}

func syncPath(path string) error {
	d, err := OpenDir(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.syncIfItCan()
}

// syncIfItCan syncs d. It ignores the error of a file system that cannot sync directories, such as an
// automounter: see fsync(2), EINVAL.
func (d *Dir) syncIfItCan() error {
	err := d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
