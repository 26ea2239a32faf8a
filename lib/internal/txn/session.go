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

// A Session is the time in which one process may change the store. It holds the lock, has checked the
// machine, and has completed what an interrupted session left.
type Session struct {
	store.Dirs
	How      eventlog.How // the origin of marks and tokens, for their events
	lockFile disk.Entry   // the lock file that is held
	cleanup  []func()

	key   journal.Key
	j     *journal.Journal // nil before Recover
	boot  journal.Boot
	index []byte // INDEX.md of the last record
	extra []byte // informing lines of the audit log after the lines of the records
	prev  string // the hash that the next event names

	ledger *Ledger // as it was read since the last change; nil if it was not

	state map[string]journal.Hash // the files of the state that are replaced as a whole

	goesBack  bool // accept an older state directory
	isOlder   bool // the accepted state directory is older
	elsewhere bool // another commit is checked out than at the last change
	merges    bool // someone saved INDEX.md since
}

// Begin opens the directories of a store. It makes missing directories, durably. It takes no lock.
func Begin(s *store.Store) (*Session, error) {
	s.Refresh()
	x := &Session{Dirs: store.Dirs{Store: s}}
	if err := x.open(); err != nil {
		x.End()
		return nil, err
	}
	return x, nil
}

// Enter is Begin, and takes the lock. It waits for the lock at most for the duration wait.
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

// run makes a change in two parts. prepare works without the lock and returns the function to call under the
// lock, after the machine check and recovery. run first creates missing directories. It stays on one thread,
// so that a test that fails the n-th system call of a thread reaches every call.
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
	return nil
}

// Locked is run for changes that need no preparation.
func Locked(ctx context.Context, s *store.Store, do func(*Session) error) error {
	return run(ctx, s, func(x *Session) (func() error, error) {
		return func() error { return do(x) }, nil
	})
}

// TryLocked runs do under the lock for an optional record. It does nothing if the lock is busy for longer
// than wait, or a change was interrupted. Nor does it if the store is not known to belong to this machine.
func TryLocked(ctx context.Context, s *store.Store, wait time.Duration, do func(*Session)) {
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

// open opens the directories and makes missing ones, durably. It makes nothing if one of them is unusable.
func (x *Session) open() (err error) {
	if x.Dir, err = x.Existing(); err != nil { // never replaces a handoffs directory that is gone
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
	}
	return nil
}

// Lock takes the lock file, where processes wait in turn, and then locks both directories. The directory
// locks stop a process that holds a replaced lock file or shares the state directory.
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

// stillLocked returns an error if the lock file was removed or replaced while it was held.
func (x *Session) stillLocked() error {
	now, err := x.Dir.Lstat(disk.Lock)
	if errors.Is(err, fs.ErrNotExist) || err == nil && now.Inode != x.lockFile.Inode {
		return fault.Busy("repeat the command, and never remove the lock file",
			"storing is uncertain: the lock file %s was removed while it was held", x.Path(disk.Lock))
	}
	return err
}

// AtEnd makes the session call do when it ends, the last added first.
func (x *Session) AtEnd(do func()) { x.cleanup = append(x.cleanup, do) }

// End releases the lock and closes all files of the session, the last opened first.
func (x *Session) End() {
	defer x.closeJournal()
	for _, do := range slices.Backward(x.cleanup) {
		do()
	}
	x.Close()
	x.Refresh()
}

// lockError explains an error of taking the lock.
func lockError(path string, waited time.Duration, err error) error {
	switch {
	case errors.Is(err, disk.ErrLocked), errors.Is(err, disk.ErrHeld):
		within := ""
		if waited >= time.Millisecond {
			within = "; gave up after " + waited.String()
		}
		return fault.Busy("retry, or raise --lock-timeout",
			"another process is writing%s", within)
	case errors.Is(err, context.Canceled):
		return &fault.Error{Problem: "stopped while waiting for the lock; nothing was changed",
			Advice: "repeat the command", Cause: err}
	case errors.Is(err, disk.ErrUnsafeLock):
		return fault.Config("remove that file and repeat the command", "cannot use the lock file %s: %v",
			path, err)
	}
	return err
}
