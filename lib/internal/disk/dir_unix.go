//go:build unix

package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
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

func (d *Dir) fd() int { return int(d.f.Fd()) }

func (d *Dir) openat(name string, flags int, perm uint32) (int, error) {
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd(), name, flags|unix.O_CLOEXEC, perm) })
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: filepath.Join(d.path, name), Err: err}
	}
	return fd, nil
}

// Open opens the regular file name for reading. Any other entry is ErrUnsafe.
func (d *Dir) Open(name string) (*os.File, error) {
	f, _, err := d.openPlain(name, unix.O_RDONLY)
	return f, err
}

// OpenSole is Open for a file that must have only one name: a second hard link is ErrUnsafe.
func (d *Dir) OpenSole(name string) (*os.File, error) { return d.openSole(name, unix.O_RDONLY) }

// openPlain opens with O_NONBLOCK, so that a planted FIFO cannot block it. It clears the flag afterwards,
// since the runtime would start its poller for the descriptor.
func (d *Dir) openPlain(name string, flags int) (*os.File, Entry, error) {
	fd, err := d.openat(name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, Entry{}, d.notPlain(name, err)
	}
	entry, err := d.plainEntry(fd, name)
	if err != nil {
		unix.Close(fd)
		return nil, entry, err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags&unix.O_APPEND); err != nil {
		unix.Close(fd)
		return nil, entry, &fs.PathError{Op: "fcntl", Path: filepath.Join(d.path, name), Err: err}
	}
	return os.NewFile(uintptr(fd), filepath.Join(d.path, name)), entry, nil
}

// openSole refuses a file with a second name. The name in the staging directory, which a file keeps for a
// moment, does not count.
func (d *Dir) openSole(name string, flags int) (*os.File, error) {
	f, entry, err := d.openPlain(name, flags)
	if err == nil && entry.links > 1 {
		err = d.checkLinks(f, entry.Inode)
	}
	if err != nil && f != nil {
		f.Close()
		f = nil
	}
	return f, err
}

// checkLinks counts the links of a file again. A file system in user space may have given an old number.
func (d *Dir) checkLinks(f *os.File, inode uint64) error {
	n, err := linksNow(f)
	if err != nil || n == 1 {
		return err
	}
	staged, err := d.stagedLinks(inode)
	if err != nil {
		return err
	}
	if n, err = linksNow(f); err == nil && n > 1+staged {
		err = unsafeEntry(f.Name(), "a file with a second hard link")
	}
	return err
}

// links returns the number of names of f.
func links(f *os.File) (uint64, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &st)
	return uint64(st.Nlink), err
}

// entry is Lstat without a view.
func (d *Dir) entry(name string) (Entry, error) {
	st, err := d.stat(name)
	if err != nil {
		return Entry{}, err
	}
	return entryOf(&st), nil
}

func (d *Dir) stat(name string) (st unix.Stat_t, err error) {
	err = again(func() error { return unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		err = &fs.PathError{Op: "stat", Path: filepath.Join(d.path, name), Err: err}
	}
	return st, err
}

// Stamp returns a string that changes when the entry is replaced or written. It has the device, the inode,
// the size and both times. changed is the later of these times.
func (d *Dir) Stamp(name string) (stamp string, changed time.Time, err error) {
	st, err := d.stat(name)
	if err != nil {
		return "", changed, err
	}
	content, self := st.Mtim.Nano(), st.Ctim.Nano()
	return fmt.Sprint(st.Dev, st.Ino, st.Size, content, self), time.Unix(0, max(content, self)), nil
}

// Remove removes the name. If the name does not exist, Remove returns nil.
func (d *Dir) Remove(name string) error {
	err := again(func() error { return unix.Unlinkat(d.fd(), name, 0) })
	if err != nil && err != unix.ENOENT {
		return &fs.PathError{Op: "remove", Path: filepath.Join(d.path, name), Err: err}
	}
	return nil
}

// RemoveStaged removes the unfinished files of killed processes in d, and returns their names: see IsStaged.
// It reads the whole directory.
func (d *Dir) RemoveStaged(isReplaced func(string) bool) ([]string, error) {
	return d.removeDead(func(name string) bool { return IsStaged(name, isReplaced) })
}

// removeDead removes the files in d that isOurs accepts and no process has locked.
func (d *Dir) removeDead(isOurs func(string) bool) ([]string, error) {
	names, err := d.Names(isOurs)
	if err != nil {
		return nil, err
	}
	var removed []string
	var errs []error
	for _, name := range names {
		dead, err := d.removeIfDead(name)
		if dead {
			removed = append(removed, name)
		}
		errs = append(errs, err)
	}
	return removed, errors.Join(errs...)
}

func (d *Dir) removeIfDead(name string) (dead bool, err error) {
	f, err := d.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrUnsafe) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = lockNow(f)
	if err == unix.EWOULDBLOCK {
		return false, nil // its writer is alive
	}
	if err == nil {
		err = d.Remove(name)
	}
	return err == nil, err
}

// MaxOpen returns how many files the process may have open at a time.
func MaxOpen() uint64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur)
}

// lockNow takes the exclusive lock of a file, without waiting.
func lockNow(f *os.File) error {
	return again(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
}

func retry(call func() (int, error)) (n int, err error) {
	err = again(func() error {
		n, err = call()
		return err
	})
	return n, err
}

// File returns the open directory. A child process that inherits it holds its lock too.
func (d *Dir) File() *os.File { return d.f }

// Lock takes the exclusive lock of the directory itself, so that no lock file is left behind. It waits at
// most for wait, and then returns ErrHeld, or the cause of ctx if that is done first. Unlock and Close
// release the lock. On file systems that cannot lock directories (NFS), Lock does nothing.
func (d *Dir) Lock(ctx context.Context, wait time.Duration) error {
	for until := time.Now().Add(wait); ; {
		err := lockNow(d.f)
		switch {
		case err == nil, err == unix.EBADF, err == unix.ENOLCK, err == unix.EOPNOTSUPP, err == unix.ENOSYS,
			err == unix.EINVAL:
			return nil
		case err != unix.EWOULDBLOCK:
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

// Unlock releases the lock without closing d.
func (d *Dir) Unlock() { _ = unix.Flock(d.fd(), unix.LOCK_UN) }
