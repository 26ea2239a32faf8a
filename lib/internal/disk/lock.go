package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Lock takes the exclusive lock of a file and returns the function that releases it. A missing file is made with the
// mode of Modes; it is never written or removed. Lock waits at most for wait, and then returns fault.ErrBusy. A file
// that is not plain, or that this user may not open or make, is fault.ErrConfig. If ctx is done first, the error wraps
// its cause.
//
// A free lock is taken on the calling thread, without another goroutine. You can call unlock from any goroutine, and
// more than once. After a wait in vain, a goroutine stays until the lock is free, and releases it at once.
func (d *Dir) Lock(ctx context.Context, name string, wait time.Duration) (unlock func(), err error) {
	path := filepath.Join(d.path, name)
	until := time.Now().Add(wait)
	for {
		l, err := d.lockOnce(ctx, name, path, until)
		switch {
		case l != nil:
			return func() { release(l) }, nil
		case err != nil:
			return nil, fault.Explain(err, "cannot lock "+path, "run the command again")
		case time.Until(until) <= 0:
			return nil, held(path)
		}
		time.Sleep(time.Millisecond)
	}
}

func held(path string) error {
	return fault.Busy("run the command again, or raise --lock-timeout", "the lock %s is held by another process", path)
}

// lockOnce locks the file that has the name now. If another file has the name afterwards, or none, it returns nil: the
// lock would exclude no other process.
func (d *Dir) lockOnce(ctx context.Context, name, path string, until time.Time) (*flock.Flock, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	info, err := d.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = d.add(name, nil)
	} else if err == nil && !info.Mode().IsRegular() {
		err = fault.Config("run `mv "+path+" "+path+".odd`", "the lock %s is not a plain file", path)
	}
	if err != nil {
		return nil, err
	}
	l := flock.New(path, flock.SetFlag(lockFlags)) // one per call: a shared Flock grants the lock twice
	if err = take(ctx, l, until); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	locked, err := l.Stat()
	if err == nil {
		info, err = d.root.Lstat(name)
	}
	if err == nil && os.SameFile(locked, info) {
		return l, nil
	}
	release(l)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return nil, err
}

// take takes a free lock, or waits for it in a goroutine, since only a blocking call is queued fairly by the kernel,
// and it cannot be canceled. If the time is over first, the goroutine releases the lock when it gets it.
func take(ctx context.Context, l *flock.Flock, until time.Time) error {
	isLocked := false
	err := again(func() (err error) {
		isLocked, err = l.TryLock()
		return err
	})
	wait := time.Until(until)
	if err == nil && !isLocked && wait <= 0 {
		err = held(l.Path())
	}
	if err != nil || isLocked {
		return err
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
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timer.C:
		err = held(l.Path())
	}
	close(gone)
	return err
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
