package txn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Guard refuses a store that belongs to another machine. It takes no lock, so that a command can call it
// first. The session checks again.
func Guard(s *store.Store) (*Machine, error) {
	_, err := s.MatchesMachine()
	if refused := (*store.MachineError)(nil); errors.As(err, &refused) {
		reportRefusal(s, refused)
	}
	if err == nil {
		err = s.CheckUntracked()
	}
	if err != nil {
		return nil, err
	}
	return &Machine{}, nil
}

// A Machine is the proof that this machine may change the store.
type Machine struct{ _ byte }

// CheckMachine is Guard under the lock. The first session of a store records the machine, durably, before
// anything else is stored.
func (x *Session) CheckMachine() error {
	if err := x.CheckUntracked(); err != nil {
		return err
	}
	observed, err := x.Fingerprint()
	if err != nil {
		return err
	}
	known, err := x.CompareMachine(observed)
	if refused := (*store.MachineError)(nil); errors.As(err, &refused) {
		x.logRefusal(refused)
	}
	if err != nil || known {
		return err
	}
	if rows, err := x.HasRows(); err != nil {
		return err
	} else if rows && x.Opt.Git == disk.GitTracked {
		return x.beginReplica(observed)
	}
	return x.recordMachine(observed)
}

// recordMachine records this machine as the owner of the store, before anything else is written. It syncs the
// parent directories first, since the command that made them may have been killed.
func (x *Session) recordMachine(observed string) error {
	root, err := store.Resolve(x.Opt.Root)
	if err != nil {
		return err
	}
	// an interrupted command may have made them
	if err := disk.SyncParents(root, x.Dir.Path(), x.State.Path()); err != nil {
		return err
	}
	record := disk.MachineRecord{Fingerprint: observed, FirstSeenUTC: x.Now(), WriterIDDefault: x.Opt.Operator}
	record.Complete()
	if record.Store, err = x.ID(); err != nil {
		return err
	}
	if err := x.hideState(); err != nil {
		return err
	}
	if err := x.State.CreateNew(disk.FingerprintFile, record.Bytes(), 0o600); err != nil &&
		!errors.Is(err, fs.ErrExist) {
		return err
	}
	return x.State.Sync()
}

// hideState makes git ignore the state directory.
func (x *Session) hideState() error {
	_, err := x.State.Lstat(disk.GitIgnore)
	if errors.Is(err, fs.ErrNotExist) {
		err = x.State.CreateNew(disk.GitIgnore, []byte("*\n"), 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return x.State.Sync()
}

// reportRefusal logs a refused change where operators look for it. It is best effort.
func reportRefusal(s *store.Store, refused *store.MachineError) {
	x, err := Enter(context.Background(), s, min(s.Opt.LockTimeout, 2*time.Second))
	if err != nil {
		return
	}
	defer x.End()
	x.logRefusal(refused)
}

// logRefusal logs that a command of another machine was refused. The line is for people: if it cannot be
// written, logRefusal only warns.
func (x *Session) logRefusal(refused *store.MachineError) {
	line, err := json.Marshal(map[string]string{
		"event":                "CROSS-HOST-REFUSED",
		"ts_utc":               x.Now(),
		"expected_fingerprint": refused.Expected,
		"observed_fingerprint": refused.Observed,
		"recovery_hint":        refused.Command,
	})
	if err == nil {
		err = x.State.Extend(disk.Refusals, append(line, '\n'), true)
	}
	if err != nil {
		x.Opt.Warn(fmt.Sprintf("the refusal could not be recorded in %s: %v", disk.Refusals, err))
	}
}
