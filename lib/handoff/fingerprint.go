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

// A MachineRecord says which machine a store belongs to.
type MachineRecord = disk.MachineRecord

// Machine returns the recorded machine of the store and the fingerprint of this
// one. A store without a record returns the zero record.
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

// Regenerate makes this machine the one that the store belongs to, and records who wanted that and
// why. Where the audit log is missing, as after a clone, it begins a new one that says how many rows
// were adopted without their events. A journal that cannot be used, and what is no plain file in the
// place of one of the store's own, go aside with a warning.
func (m Maintenance) Regenerate(ctx context.Context, operator, reason string) (_ MachineRecord, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if err := checkOperator(operator); err != nil {
		return MachineRecord{}, err
	}
	if strings.TrimSpace(reason) == "" {
		return MachineRecord{}, fault.New(ErrInvalid, "say with --reason why the store moves", "no reason is given")
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
