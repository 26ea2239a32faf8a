package txn

import (
	"fmt"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// head returns the hash that the next event names. A torn last line is put aside first, and the event
// that records this comes back as recovered. A log that is missing or empty while there are rows is
// refused unless begin allows it: a new chain would hide that the old one is gone.
func (x *Session) head(log *durable.Log, begin bool) (prev string, recovered *eventlog.Pending, err error) {
	info, err := log.Stat()
	if err != nil {
		return "", nil, err
	}
	if info.Size() == 0 {
		if !begin {
			err = x.MayBegin()
		}
		return eventlog.Genesis, nil, err
	}
	last, end, err := eventlog.Tail(log, info.Size())
	if err != nil {
		return "", nil, err
	}
	if last == nil && !begin {
		if err := x.MayBegin(); err != nil {
			return "", nil, err
		}
	}
	if end < info.Size() {
		if recovered, err = x.putAside(log, end, info.Size()); err != nil {
			return "", nil, err
		}
	}
	if last == nil {
		return eventlog.Genesis, recovered, nil
	}
	if eventlog.IsAlone(last) { // who wrote it may have died before it was synced, and left no intent
		if err := log.Sync(); err != nil {
			return "", nil, err
		}
	}
	prev, err = x.hashLast(last)
	return prev, recovered, err
}

// hashLast returns the hash of the last event, which the next one names.
func (x *Session) hashLast(last []byte) (string, error) {
	hash, err := eventlog.HashLine(last)
	if err != nil {
		err = &fault.CorruptError{File: filepath.Join(x.Opt.StateDir, layout.Log), Why: fmt.Sprintf("the last event cannot be read: %v", err)}
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
func CanBeCut(log *durable.Log) error {
	err := log.CanBeCut()
	if err != nil {
		path := store.ShellQuote(log.Name())
		err = fault.New(fault.ErrConfig, "run `chattr -a "+path+"`, then the same command again, then `chattr +a "+path+"`", "the audit log has to be mended first: %v", err)
	}
	return err
}

// putAside copies the torn end of the log to a file of its own and cuts it off. The copy is durable first.
func (x *Session) putAside(log *durable.Log, from, to int64) (*eventlog.Pending, error) {
	if err := CanBeCut(log); err != nil {
		return nil, err
	}
	fragment := make([]byte, to-from)
	if _, err := log.ReadAt(fragment, from); err != nil {
		return nil, err
	}
	name := layout.TornLog + x.Opt.Now().UTC().Format("20060102T150405.000000000Z")
	staged, err := x.State.Stage(fragment, 0o600)
	if err != nil {
		return nil, err
	}
	defer staged.Discard()
	if err := staged.Publish(name); err != nil {
		return nil, err
	}
	if err := x.State.Sync(); err != nil {
		return nil, err
	}
	if err := x.CutLog(log, from); err != nil {
		return nil, err
	}
	x.Opt.Warn(fmt.Sprintf("the audit log ended in a torn line of %d bytes; it was kept as %s", len(fragment), name))
	return &eventlog.Pending{Type: eventlog.TypeRecovered, Payload: eventlog.Recovered{Reason: "torn last line", TornBytes: len(fragment), KeptAs: name}}, nil
}
