package txn

import (
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
