package txn

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// CheckLastEvent returns fault.ErrIntegrity if no event can follow the last event of the log.
func (x *Session) CheckLastEvent() error {
	log, size, err := x.openSized(disk.LogFile)
	if err != nil {
		return err
	}
	defer log.Close()
	_, _, err = eventlog.HeadAt(log, size)
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
