//go:build unix

package disk

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

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

// OpenToWrite is Open for reading and writing.
func (d *Dir) OpenToWrite(name string) (*os.File, error) {
	f, _, err := d.openPlain(name, os.O_RDWR)
	return f, err
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

// Unlock releases the lock without closing d.
func (d *Dir) Unlock() { _ = unix.Flock(d.fd(), unix.LOCK_UN) }
