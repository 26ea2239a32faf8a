package txn

import (
	"fmt"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// hashLast returns the hash of the last event, which the next event names.
func (x *Session) hashLast(last []byte) (string, error) {
	hash, err := eventlog.HashLine(last)
	if err != nil {
		err = &fault.CorruptError{File: filepath.Join(x.Opt.StateDir, disk.LogFile),
			Why: fmt.Sprintf("the last event is unreadable: %v", err)}
	}
	return hash, err
}

// headAfter returns the head of the log after a last event. Without an event it returns before.
func (x *Session) headAfter(last []byte, before journal.Hash) (journal.Hash, error) {
	if last == nil {
		return before, nil
	}
	hash, err := x.hashLast(last)
	return journal.ParseHash(hash), err
}

// CheckLastEvent returns fault.ErrIntegrity if no event can follow the last event of the log.
func (x *Session) CheckLastEvent() error {
	log, err := x.Log(false)
	if err != nil || log == nil {
		return err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return err
	}
	last, _, err := eventlog.Tail(log, info.Size())
	if err == nil && last != nil {
		_, err = x.hashLast(last)
	}
	return err
}

// CanBeCut returns an error if the end of the log cannot be removed. Without this check, each attempt would
// leave a copy of the torn line.
func CanBeCut(log *disk.Log) error {
	err := log.CanBeCut()
	if err != nil {
		path := store.ShellQuote(log.Name())
		err = fault.New(fault.ErrConfig, "run `chattr -a "+path+"`, repeat the command, then run `chattr +a "+path+"`",
			"the audit log needs repair first: %v", err)
	}
	return err
}

// keepTorn copies the torn end of a log to a new file and removes it from the log. It syncs the copy first.
func (x *Session) keepTorn(log *disk.Log, end int64, fragment []byte) error {
	if err := CanBeCut(log); err != nil {
		return err
	}
	name := disk.TornLog + x.NameTime()
	if err := x.State.CreateNew(name, fragment, 0o600); err != nil {
		return err
	}
	if err := x.State.Sync(); err != nil {
		return err
	}
	x.Opt.Warn(fmt.Sprintf("the audit log ended in a torn line of %d bytes; it was kept as %s", len(fragment), name))
	return log.Truncate(end)
}

// CutLog truncates the log to size and starts the journal over. The caller must have a copy of the rest.
func (x *Session) CutLog(log *disk.Log, size int64) error {
	if err := log.Truncate(size); err != nil {
		return err
	}
	return x.baseline()
}
