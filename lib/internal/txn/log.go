package txn

import (
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
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
