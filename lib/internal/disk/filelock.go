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
	// ErrBusy says that someone else held the lock for as long as the caller would wait.
	ErrLocked = errors.New("the lock is held by another process")

	// ErrUnsafe says that the lock file is a symbolic link, FIFO, device, directory or has other names.
	ErrUnsafeLock = errors.New("unsafe lock file")

	errReplaced = errors.New("the lock file was replaced")
)

// A File is the file to lock, as it is opened by its path and as the caller sees it, in a directory
// that is open: what the path leads to may have been exchanged.
type LockFile struct {
	Path  string
	Make  func() error           // makes it where it is missing
	Inode func() (uint64, error) // of what has its name now
}

// Acquire takes the lock of a file, and returns the function that gives it back. It waits up to
// timeout; with 0 or less it only tries. The error wraps ErrBusy when that time is over, ErrUnsafe
// when the file may not serve as a lock, and the cause of ctx when that is done first.
//
// A lock that is free is taken on the calling thread and without another goroutine. The returned
// function may be called from any goroutine, and more than once. After a wait that was given up, a
// goroutine stays behind until the lock is free, and gives it back at once.
func AcquireLock(ctx context.Context, f LockFile, timeout time.Duration) (unlock func(), err error) {
	deadline := time.Now().Add(timeout)
	for {
		l, err := take(ctx, f, deadline)
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

// take locks the file that has the name now. The error is errReplaced when another file has
// the name, or none, by the time that the lock is held.
func take(ctx context.Context, f LockFile, deadline time.Time) (*flock.Flock, error) {
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
			return nil, fmt.Errorf("%w: %w", errReplaced, err) // or its directory
		}
	}
	if err != nil || !locked {
		if unsafe := inspect(os.Lstat(f.Path)); errors.Is(unsafe, ErrUnsafeLock) {
			return nil, unsafe // why the open failed, or not worth waiting for
		}
		if err == nil {
			err = wait(ctx, l, time.Until(deadline))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := serves(l, f); err != nil {
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

// wait takes the lock in a goroutine: only a blocking call is queued fairly by the kernel, and it
// cannot be called off. Whoever comes first, lock or deadline, decides; a lock that comes late is
// given back.
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

// serves checks the file that l holds. It must still have the name, or the lock excludes nobody.
func serves(l *flock.Flock, f LockFile) error {
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

// inspect returns an error that wraps ErrUnsafe unless info is that of a regular file with one name.
func inspect(info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: its mode is %s, it must be a regular file; move it away", ErrUnsafeLock, info.Mode())
	case lockLinks(info) > 1:
		return fmt.Errorf("%w: it has %d names (hard links), it must have one; move it away", ErrUnsafeLock, lockLinks(info))
	}
	return nil
}

// release gives the lock back, and tries again when that fails: until then this process would wait for itself.
func release(l *flock.Flock) {
	for range 100 {
		if l.Unlock() == nil {
			return
		}
	}
}

// again repeats a call that a signal interrupted, within reason.
func again(call func() error) (err error) {
	for range 100 {
		if err = call(); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	return err
}
