package handoff

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/filelock"
)

// A session is the time in which one process may change the store: it holds the lock, has found itself
// on the right machine, and has finished or taken back what an interrupted session left.
type session struct {
	*Store
	dir, state *durable.Dir
	lockFile   durable.Entry // that is held
	cleanup    []func()
}

// change runs a change in two parts: prepare works outside the lock and returns what is to be done under
// it. Directories that do not exist yet are created first.
//
// The whole of it stays on one thread, so that a test which makes the n-th system call of a thread fail
// reaches every call.
func (s *Store) change(ctx context.Context, prepare func(*session) (func() error, error)) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := &session{Store: s}
	defer x.end()
	if err := x.open(); err != nil {
		return err
	}
	do, err := prepare(x)
	if err != nil {
		return err
	}
	if err := x.lock(ctx, s.opt.LockTimeout); err != nil {
		return err
	}
	if err := x.checkMachine(); err != nil {
		return err
	}
	if err := x.recover(); err != nil {
		return err
	}
	return do()
}

// locked is change for changes that have nothing to prepare.
func (s *Store) locked(ctx context.Context, do func(*session) error) error {
	return s.change(ctx, func(x *session) (func() error, error) {
		return func() error { return do(x) }, nil
	})
}

// open opens the directories, and makes them durably where they are missing. Nothing is made if one of them cannot be used.
func (x *session) open() (err error) {
	if x.dir, err = x.prover(); err != nil { // no handoffs directory is made where there was one
		return err
	}
	if x.state, err = x.openPlace(x.opt.StateDir); err != nil {
		return err
	}
	for _, d := range []struct {
		path string
		mode fs.FileMode
		dir  **durable.Dir
	}{{x.opt.Dir, 0o755, &x.dir}, {x.opt.StateDir, 0o700, &x.state}} {
		if *d.dir == nil {
			if *d.dir, err = x.makePlace(d.path, d.mode); err != nil {
				return err
			}
		}
		if err := checkOwner(*d.dir); err != nil {
			return err
		}
	}
	return nil
}

// lock takes the lock, for which all wait in turn, and then those of both directories, which are free as a rule: they
// exclude who came in by another lock file, since this one was removed, and who has the state directory in common.
func (x *session) lock(ctx context.Context, wait time.Duration) error {
	path, begin := filepath.Join(x.dir.Path(), lockName), time.Now()
	unlock, err := filelock.Acquire(ctx, filelock.File{
		Path:  path,
		Make:  func() error { return x.dir.Touch(lockName, 0o644) },
		Inode: func() (uint64, error) { e, err := x.dir.Lstat(lockName); return e.Inode, err },
	}, wait)
	if err != nil {
		return lockError(path, wait, err)
	}
	x.atEnd(unlock)
	if x.lockFile, err = x.dir.Lstat(lockName); err != nil {
		return err
	}
	for _, d := range []*durable.Dir{x.dir, x.state} {
		if d == x.state && x.isOneDir() {
			break
		}
		if err := d.Lock(ctx, wait-time.Since(begin)); err != nil {
			return lockError(d.Path(), wait, err)
		}
		x.atEnd(d.Unlock)
	}
	return nil
}

// isOneDir reports whether the handoffs and the state of the store are in the same directory.
func (x *session) isOneDir() bool {
	dir, err := x.dir.Stat()
	state, serr := x.state.Stat()
	return err == nil && serr == nil && os.SameFile(dir, state)
}

// stillLocked fails when the lock file was removed or replaced while it was held. Others may be changing the store
// then, where directories cannot be locked, and have finished or taken back what this session announced.
func (x *session) stillLocked() error {
	now, err := x.dir.Lstat(lockName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && now.Inode != x.lockFile.Inode {
		return fault.New(ErrBusy, "run the same command again, and never remove the lock file",
			"not known to be published: the lock %s was removed while it was held", x.path(lockName))
	}
	return err
}

// atEnd has do called when the session ends, last first.
func (x *session) atEnd(do func()) { x.cleanup = append(x.cleanup, do) }

func (x *session) end() {
	for _, do := range slices.Backward(x.cleanup) {
		do()
	}
	for _, d := range []*durable.Dir{x.dir, x.state} {
		if d != nil {
			d.Close()
		}
	}
}

func placeError(path string, err error) error {
	if errors.Is(err, durable.ErrUnsafe) || errors.Is(err, durable.ErrUnsupported) || errors.Is(err, fs.ErrNotExist) {
		return fault.New(ErrConfig, "choose a directory of your own that can be written", "cannot use %s: %v", path, err)
	}
	return err
}

func lockError(path string, waited time.Duration, err error) error {
	switch {
	case errors.Is(err, filelock.ErrBusy), errors.Is(err, durable.ErrHeld):
		within := ""
		if waited >= time.Millisecond {
			within = ", and was not free within " + waited.String()
		}
		return fault.New(ErrBusy, "another process is writing; try again, or wait longer with --lock-timeout",
			"the lock %s is held by another process%s", path, within)
	case errors.Is(err, filelock.ErrUnsafe):
		return fault.New(ErrConfig, "remove what is in its place and run again", "cannot use the lock %s: %v", path, err)
	}
	return err
}

// log opens the audit log, and creates it if create is set. A log that does not exist is nil.
func (x *session) log(create bool) (*durable.Log, error) {
	log, err := x.state.OpenLog(logName, create)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, durable.ErrUnsafe):
		return nil, &CorruptError{File: filepath.Join(x.opt.StateDir, logName), Why: err.Error()}
	}
	return log, err
}
