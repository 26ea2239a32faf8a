package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

var (
	// ErrLocked is the error if another process held the lock for the whole timeout.
	ErrLocked = errors.New("the lock is held by another process")

	// ErrUnsafeLock is the error if the lock file is not a regular file.
	ErrUnsafeLock = errors.New("unsafe lock file")

	errReplaced = errors.New("the lock file was replaced")
)

// A LockFile is a file to lock. It is opened by Path. Make and Inode use an open directory, since the path
// may lead elsewhere meanwhile.
type LockFile struct {
	Path  string
	Make  func() error           // creates the missing file
	Inode func() (uint64, error) // returns the inode that has the name now
}

// AcquireLock takes the lock of a file and returns the function that releases it. It waits at most for
// timeout; with 0 or less it only tries once. The error wraps ErrLocked after the timeout, and ErrUnsafeLock
// if the file cannot be a lock. If ctx is done first, it wraps the cause of ctx.
//
// AcquireLock takes a free lock on the calling thread, without another goroutine. You can call unlock from
// any goroutine, and more than once. After a timeout, a goroutine stays until the lock is free, and releases
// the lock at once.
func AcquireLock(ctx context.Context, f LockFile, timeout time.Duration) (unlock func(), err error) {
	deadline := time.Now().Add(timeout)
	for {
		l, err := lockOnce(ctx, f, deadline)
		if err == nil {
			return func() { release(l) }, nil
		}
		if !errors.Is(err, errReplaced) {
			return nil, fmt.Errorf("cannot lock %q: %w", f.Path, err)
		}
		if time.Until(deadline) <= 0 {
			return nil, fmt.Errorf("cannot lock %q: %w: %w", f.Path, ErrLocked, err)
		}
		time.Sleep(time.Millisecond)
	}
}

// lockOnce locks the file that has the name now. If another file has the name afterwards, or none, the error
// is errReplaced.
func lockOnce(ctx context.Context, f LockFile, deadline time.Time) (*flock.Flock, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	l := flock.New(f.Path, flock.SetFlag(openFlags)) // one per call: a shared Flock grants the lock twice
	locked, err := try(l)
	if errors.Is(err, fs.ErrNotExist) {
		if err := f.Make(); err != nil {
			return nil, err
		}
		if locked, err = try(l); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %w", errReplaced, err) // or its directory was replaced
		}
	}
	if err != nil || !locked {
		if unsafe := inspect(os.Lstat(f.Path)); errors.Is(unsafe, ErrUnsafeLock) {
			return nil, unsafe // why the open failed, or waiting is useless
		}
		if err == nil {
			err = wait(ctx, l, time.Until(deadline))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := checkHeld(l, f); err != nil {
		release(l)
		return nil, err
	}
	return l, nil
}

func try(l *flock.Flock) (locked bool, err error) {
	err = again(func() (err error) {
		locked, err = l.TryLock()
		return err
	})
	return locked, err
}

// wait takes the lock in a goroutine, since only a blocking call is queued fairly by the kernel, and it
// cannot be canceled. If the deadline comes first, the goroutine releases the lock when it gets it.
func wait(ctx context.Context, l *flock.Flock, timeout time.Duration) error {
	if timeout <= 0 {
		return ErrLocked
	}
	done, gone := make(chan error), make(chan struct{})
	go func() {
		err := again(l.Lock)
		select {
		case done <- err:
		case <-gone:
			release(l)
		}
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		close(gone)
		return context.Cause(ctx)
	case <-timer.C:
		close(gone)
		return ErrLocked
	}
}

// checkHeld checks the file that l holds. The file must still have the name, otherwise the lock excludes no
// other process.
func checkHeld(l *flock.Flock, f LockFile) error {
	held, err := l.Stat()
	if err := inspect(held, err); err != nil {
		return err
	}
	named, err := f.Inode()
	if errors.Is(err, fs.ErrNotExist) || err == nil && named != inode(held) {
		return errReplaced
	}
	return err
}

// inspect returns an error that wraps ErrUnsafeLock unless info is that of a regular file.
func inspect(info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: its mode is %s, it must be a regular file; move it away", ErrUnsafeLock, info.Mode())
	}
	return nil
}

// release releases the lock. It repeats a failed unlock, since otherwise this process would wait for itself.
func release(l *flock.Flock) {
	for range 100 {
		if l.Unlock() == nil {
			return
		}
	}
}

// again repeats a call until no signal interrupts it.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
