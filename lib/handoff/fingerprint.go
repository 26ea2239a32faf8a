package handoff

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A MachineRecord describes the machine of a store. Fingerprint is its 64 hex digits, or "" if none is known.
// FirstSeenUTC is when it was recorded. WriterIDDefault is the operator who wrote first. Writer is the id of the
// replica. Store identifies the place of the state directory.
type MachineRecord = disk.MachineRecord

// Machine returns the recorded machine of the store and the fingerprint of this machine. A store without a record has
// the zero record.
func (m Maintenance) Machine() (recorded MachineRecord, observed string, err error) {
	if observed, err = m.s.at.Fingerprint(); err != nil {
		return MachineRecord{}, "", err
	}
	recorded, err = store.InState(m.s.at, store.ReadMachine)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return recorded, observed, err
}

// Regenerate moves the store to this machine, and records the operator and the reason. If the audit log is missing,
// as after a clone, a new one begins. Its first event has the number of rows that were adopted without their events.
// An unusable journal, and anything but a plain file under a name of the store, is quarantined with a warning.
func (m Maintenance) Regenerate(ctx context.Context, operator, reason string) (_ MachineRecord, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if err := checkOperator(operator); err != nil {
		return MachineRecord{}, err
	}
	if strings.TrimSpace(reason) == "" {
		return MachineRecord{}, fault.Invalid("add --reason TEXT for the audit log", "no reason")
	}
	if err := CheckReason(reason); err != nil {
		return MachineRecord{}, err
	}
	observed, err := m.s.at.Fingerprint()
	if err != nil {
		return MachineRecord{}, err
	}
	record := MachineRecord{Fingerprint: observed, FirstSeenUTC: m.s.at.Now(), WriterIDDefault: operator}
	return record, check.Regenerate(ctx, m.s.at, record, reason)
}
