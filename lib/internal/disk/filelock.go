//go:build unix

package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var errReplaced = errors.New("the lock file was replaced")

// LockFile takes the exclusive lock of the file name, and returns the function that releases it. It creates a missing
// file. It waits at most for wait; with 0 or less it only tries once. The error wraps ErrHeld after that, and
// ErrUnsafe if the file cannot be a lock. If ctx is done first, it wraps the cause of ctx.
//
// LockFile takes a free lock on the calling thread, without another goroutine. You can call unlock from any
// goroutine, and more than once. If it gives up, a goroutine stays until the lock is free, and releases the lock at
// once.
func (d *Dir) LockFile(ctx context.Context, name string, wait time.Duration) (unlock func(), err error) {
	for until := time.Now().Add(wait); ; time.Sleep(time.Millisecond) {
		f, err := d.lockOnce(ctx, name, until)
		isReplaced := errors.Is(err, errReplaced)
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case isReplaced && time.Now().Before(until):
			continue
		case isReplaced:
			err = fmt.Errorf("%w: %w", ErrHeld, err)
		}
		return nil, fmt.Errorf("cannot lock %q: %w", filepath.Join(d.path, name), err)
	}
}

// lockOnce locks the file that has the name now. If another file has the name afterwards, or none, the error is
// errReplaced: the lock would exclude no other process.
func (d *Dir) lockOnce(ctx context.Context, name string, until time.Time) (*os.File, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// Read-write, since NFS does not lock a file that is open only for reading.
	f, err := d.openSole(name, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		if err := d.Touch(name, 0o644); err != nil {
			return nil, err
		}
		if f, err = d.openSole(name, os.O_RDWR); errors.Is(err, fs.ErrNotExist) {
			err = errReplaced
		}
	}
	if err != nil {
		return nil, err
	}
	if err = lockNow(f); err == unix.EWOULDBLOCK {
		if err = wait(ctx, f, time.Until(until)); err != nil {
			return nil, err
		}
	}
	if err == nil {
		err = d.stillNames(name, f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// wait takes the lock in a goroutine, since only a blocking call is queued fairly by the kernel, and it cannot be
// canceled. If it gives up, the goroutine closes the file.
func wait(ctx context.Context, f *os.File, timeout time.Duration) error {
	if timeout <= 0 {
		f.Close()
		return ErrHeld
	}
	done, gone := make(chan error), make(chan struct{})
	go func() {
		err := again(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX) })
		if err != nil {
			f.Close()
		}
		select {
		case done <- err:
		case <-gone:
			f.Close()
		}
	}()
	defer close(gone)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(timeout):
		return ErrHeld
	}
}

// stillNames returns errReplaced unless the open file has the name.
func (d *Dir) stillNames(name string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := d.entry(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && named.Inode != info.Sys().(*syscall.Stat_t).Ino {
		return errReplaced
	}
	return err
}
