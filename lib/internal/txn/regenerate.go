package txn

import (
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Regenerate makes the store belong to the machine of the record. adopted is the number of handoffs that it takes
// over without events.
func (x *Session) Regenerate(record disk.MachineRecord, operator, reason string, adopted int) error {
	old, err := store.ReadMachine(x.State)
	payload := eventlog.Regenerated{OperatorID: operator, Reason: reason, OldFingerprint: old.Fingerprint,
		NewFingerprint: record.Fingerprint}
	if err != nil {
		payload.OldFingerprint = "none"
	}
	events := []eventlog.Pending{{Type: eventlog.TypeRegenerate, Payload: payload}}
	if adopted > 0 {
		events = append([]eventlog.Pending{{Type: eventlog.TypeRecovered,
			Payload: eventlog.Recovered{Reason: "the audit log was missing", AdoptedRows: adopted}}}, events...)
	}
	return x.nameMachine("regenerate", record, events)
}

// nameMachine makes the store belong to the machine of the record and to its present directory. The log may
// begin with this change.
func (x *Session) nameMachine(op string, record disk.MachineRecord, events []eventlog.Pending) (err error) {
	if err := x.hideState(); err != nil {
		return err
	}
	record.Complete()
	if record.Store, err = x.ID(); err != nil {
		return err
	}
	return x.commit(&change{Record: journal.Record{Op: op,
		Put: []journal.File{stateFile(disk.FingerprintFile, record.Bytes())}}, events: events, begins: true})
}

func stateFile(name string, text []byte) journal.File {
	return journal.File{Name: journal.Name{Place: journal.State, File: name}, Text: journal.NewText(text)}
}
