package txn

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

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Session is the time in which one process may change the store: it holds the lock, has found itself
// on the right machine, and has finished or taken back what an interrupted session left.
type Session struct {
	store.Dirs
	How      eventlog.How // what the events of marks and tokens say
	lockFile disk.Entry   // that is held
	cleanup  []func()

	key   journal.Key
	j     *journal.Journal // nil before Recover
	boot  journal.Boot
	index []byte       // INDEX.md as the last record has it
	extra []byte       // informing lines behind what the records append to the audit log
	torn  bool         // and something else behind them
	swap  journal.Hash // of what lies beside INDEX.md; zeros for nothing

	state map[string]journal.Hash // of the files of the state that are replaced as a whole

	sealed    bool // an archive was changed
	goesBack  bool // an older state directory is no error
	elsewhere bool // another commit is checked out than when the store was changed last
	merges    bool // somebody has saved INDEX.md since
}

// Begin opens the directories of a store, and makes them durably where they are missing. Nothing is
// locked yet.
func Begin(s *store.Store) (*Session, error) {
	x := &Session{Dirs: store.Dirs{Store: s}}
	if err := x.open(); err != nil {
		x.End()
		return nil, err
	}
	return x, nil
}

// Enter is Begin, and takes the lock, for which it waits as long as it may.
func Enter(ctx context.Context, s *store.Store, wait time.Duration) (*Session, error) {
	x, err := Begin(s)
	if err != nil {
		return nil, err
	}
	if err := x.Lock(ctx, wait); err != nil {
		x.End()
		return nil, err
	}
	return x, nil
}

// run makes a change in two parts: prepare works outside the lock and returns what is to be done under
// it, on the right machine and after recovery. Directories that do not exist yet are created first.
//
// The whole of it stays on one thread, so that a test which makes the n-th system call of a thread fail
// reaches every call.
func run(ctx context.Context, s *store.Store, prepare func(*Session) (func() error, error)) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x, err := Begin(s)
	if err != nil {
		return err
	}
	defer x.End()
	do, err := prepare(x)
	if err != nil {
		return err
	}
	lock := func() error { return x.Lock(ctx, s.Opt.LockTimeout) }
	for _, next := range []func() error{lock, x.CheckMachine, x.Recover, x.TakeOver, do} {
		if err := next(); err != nil {
			return err
		}
	}
	x.keepFacts()
	if x.sealed {
		x.KeepSealed(x.Dir)
	}
	return nil
}

// Locked is run for changes that have nothing to prepare.
func Locked(ctx context.Context, s *store.Store, do func(*Session) error) error {
	return run(ctx, s, func(x *Session) (func() error, error) {
		return func() error { return do(x) }, nil
	})
}

// Quietly runs do under the lock for a record that nobody waits for: not when the lock is busy for longer
// than wait, a change was interrupted, or the store is not known to be this machine's.
func Quietly(ctx context.Context, s *store.Store, wait time.Duration, do func(*Session)) {
	if known, err := s.MatchesMachine(); err != nil || !known {
		return
	}
	x, err := Enter(ctx, s, wait)
	if err != nil {
		return
	}
	defer x.End()
	if err := x.openJournal(); err != nil {
		return
	}
	if inLine, err := x.readTails(); err == nil && inLine {
		do(x)
	}
}

// open opens the directories, and makes them durably where they are missing. Nothing is made if one of
// them cannot be used.
func (x *Session) open() (err error) {
	if x.Dir, err = x.Existing(); err != nil { // no handoffs directory is made where there was one
		return err
	}
	if x.State, err = x.OpenPlace(x.Opt.StateDir); err != nil {
		return err
	}
	for _, d := range []struct {
		path string
		mode fs.FileMode
		dir  **disk.Dir
	}{{x.Opt.Dir, 0o755, &x.Dir}, {x.Opt.StateDir, 0o700, &x.State}} {
		if *d.dir == nil {
			if *d.dir, err = x.MakePlace(d.path, d.mode); err != nil {
				return err
			}
		}
		if err := store.CheckOwner(*d.dir); err != nil {
			return err
		}
	}
	return nil
}

// Lock takes the lock, for which all wait in turn, and then those of both directories, which are free
// as a rule: they exclude who came in by another lock file, since this one was removed, and who has
// the state directory in common.
func (x *Session) Lock(ctx context.Context, wait time.Duration) error {
	path, begin := filepath.Join(x.Dir.Path(), disk.Lock), time.Now()
	unlock, err := disk.AcquireLock(ctx, disk.LockFile{
		Path:  path,
		Make:  func() error { return x.Dir.Touch(disk.Lock, 0o644) },
		Inode: func() (uint64, error) { e, err := x.Dir.Lstat(disk.Lock); return e.Inode, err },
	}, wait)
	if err != nil {
		return lockError(path, wait, err)
	}
	x.AtEnd(unlock)
	if x.lockFile, err = x.Dir.Lstat(disk.Lock); err != nil {
		return err
	}
	for _, d := range []*disk.Dir{x.Dir, x.State} {
		if d == x.State && x.isOneDir() {
			break
		}
		if err := d.Lock(ctx, wait-time.Since(begin)); err != nil {
			return lockError(d.Path(), wait, err)
		}
		x.AtEnd(d.Unlock)
	}
	return nil
}

// isOneDir reports whether the handoffs and the state of the store are in the same directory.
func (x *Session) isOneDir() bool {
	dir, err := x.Dir.Stat()
	state, serr := x.State.Stat()
	return err == nil && serr == nil && os.SameFile(dir, state)
}

// stillLocked fails when the lock file was removed or replaced while it was held. Others may be
// changing the store then, where directories cannot be locked, and have finished or taken back what
// this session announced.
func (x *Session) stillLocked() error {
	now, err := x.Dir.Lstat(disk.Lock)
	if errors.Is(err, fs.ErrNotExist) || err == nil && now.Inode != x.lockFile.Inode {
		return fault.New(fault.ErrBusy, "run the same command again, and never remove the lock file",
			"not known to be published: the lock %s was removed while it was held", x.Path(disk.Lock))
	}
	return err
}

// AtEnd has do called when the session ends, last first.
func (x *Session) AtEnd(do func()) { x.cleanup = append(x.cleanup, do) }

// AfterEnd has do called when the session has ended: for what takes time, and others need not wait for.
func (x *Session) AfterEnd(do func()) { x.cleanup = slices.Insert(x.cleanup, 0, do) }

// End gives the lock back and closes what the session has open, the last first.
func (x *Session) End() {
	defer x.closeJournal()
	for _, do := range slices.Backward(x.cleanup) {
		do()
	}
	x.Close()
}

// lockError says what a person can do about a lock that was not obtained: wait where somebody has it, mend
// the place where it is none.
func lockError(path string, waited time.Duration, err error) error {
	switch {
	case errors.Is(err, disk.ErrLocked), errors.Is(err, disk.ErrHeld):
		within := ""
		if waited >= time.Millisecond {
			within = ", and was not free within " + waited.String()
		}
		return fault.New(fault.ErrBusy, "another process is writing; try again, or wait longer with --lock-timeout",
			"the lock %s is held by another process%s", path, within)
	case errors.Is(err, context.Canceled):
		return &fault.Error{Problem: "it was stopped while it waited for the lock " + path + "; nothing was changed",
			Advice: "run the command again", Cause: err}
	case errors.Is(err, disk.ErrUnsafeLock):
		return fault.New(fault.ErrConfig, "remove what is in its place and run again", "cannot use the lock %s: %v", path, err)
	}
	return err
}

// Log opens the audit log, and creates it if create is set. A log that does not exist is nil.
func (x *Session) Log(create bool) (*disk.Log, error) {
	log, err := x.State.OpenLog(disk.LogFile, create)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return log, store.Odd(filepath.Join(x.Opt.StateDir, disk.LogFile), err)
}
