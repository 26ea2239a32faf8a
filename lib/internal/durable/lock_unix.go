//go:build unix

package durable

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Lock takes the exclusive lock of the directory itself, so that no lock file is left behind, and
// waits for it up to wait; after that the error is ErrHeld, or the cause of ctx when that is done
// first. Unlock and Close give it back. Where directories cannot be locked (NFS), nothing is.
func (d *Dir) Lock(ctx context.Context, wait time.Duration) error {
	for until := time.Now().Add(wait); ; {
		_, err := retry(func() (int, error) { return 0, unix.Flock(d.fd(), unix.LOCK_EX|unix.LOCK_NB) })
		switch {
		case err == nil, err == unix.EBADF, err == unix.ENOLCK, err == unix.EOPNOTSUPP, err == unix.ENOSYS, err == unix.EINVAL:
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

// Unlock gives the lock back before d is closed.
func (d *Dir) Unlock() { _ = unix.Flock(d.fd(), unix.LOCK_UN) }
