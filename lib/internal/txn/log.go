package txn

import (
	"fmt"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// hashLast returns the hash of the last event, which the next one names.
func (x *Session) hashLast(last []byte) (string, error) {
	hash, err := eventlog.HashLine(last)
	if err != nil {
		err = &fault.CorruptError{File: filepath.Join(x.Opt.StateDir, disk.LogFile), Why: fmt.Sprintf("the last event cannot be read: %v", err)}
	}
	return hash, err
}

// MayGoOn is fault.ErrIntegrity where nothing can follow the last event of the log.
func (x *Session) MayGoOn() error {
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

// CanBeCut refuses where the end of the log cannot be taken off. A copy of it at each try would help nobody.
func CanBeCut(log *disk.Log) error {
	err := log.CanBeCut()
	if err != nil {
		path := store.ShellQuote(log.Name())
		err = fault.New(fault.ErrConfig, "run `chattr -a "+path+"`, then the same command again, then `chattr +a "+path+"`", "the audit log has to be mended first: %v", err)
	}
	return err
}

// putAside keeps the torn end of a log in a file of its own and cuts it off. The copy is durable first.
func (x *Session) putAside(log *disk.Log, end int64, fragment []byte) error {
	if err := CanBeCut(log); err != nil {
		return err
	}
	name := disk.TornLog + x.Opt.Now().UTC().Format("20060102T150405.000000000Z")
	if err := PublishNew(x.State, name, fragment); err != nil {
		return err
	}
	if err := x.State.Sync(); err != nil {
		return err
	}
	x.Opt.Warn(fmt.Sprintf("the audit log ended in a torn line of %d bytes; it was kept as %s", len(fragment), name))
	return log.Truncate(end)
}

// CutLog ends the log at size, and begins the journal anew: what the log has behind that is kept elsewhere.
func (x *Session) CutLog(log *disk.Log, size int64) error {
	if err := log.Truncate(size); err != nil {
		return err
	}
	return x.baseline(x.index, x.index)
}
