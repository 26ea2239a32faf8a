package txn

import (
	"encoding/json"
	"errors"
	"path/filepath"

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
	history, err := json.Marshal(map[string]string{"ts_utc": record.FirstSeenUTC, "operator_id": operator,
		"reason":          reason,
		"old_fingerprint": payload.OldFingerprint, "new_fingerprint": payload.NewFingerprint})
	if err != nil {
		return err
	}
	events := []eventlog.Pending{{Type: eventlog.TypeRegenerate, Payload: payload}}
	if adopted > 0 {
		events = append([]eventlog.Pending{{Type: eventlog.TypeRecovered,
			Payload: eventlog.Recovered{Reason: "the audit log was missing", AdoptedRows: adopted}}}, events...)
	}
	return x.nameMachine("regenerate", record, string(history)+"\n", events)
}

// nameMachine makes the store belong to the machine of the record and to its present directory. The log may
// begin with this change.
func (x *Session) nameMachine(op string, record disk.MachineRecord, history string, events []eventlog.Pending) error {
	if err := x.hideState(); err != nil {
		return err
	}
	old, err := store.ReadMachine(x.State)
	// otherwise this may be a copy, which needs another writer id
	if history == "" && (err == nil || errors.Is(err, disk.ErrNoMachine)) {
		record.Writer = old.Writer
	}
	record.Complete()
	if record.Store, err = x.ID(); err != nil {
		return err
	}
	c := &change{Record: journal.Record{Op: op, Put: []journal.File{stateFile(disk.FingerprintFile, record.Bytes())}},
		events: events, begins: true}
	if history != "" {
		before, err := x.State.ReadIfThere(disk.History, disk.MaxLedger)
		if err != nil {
			return store.AsCorrupt(filepath.Join(x.State.Path(), disk.History), err)
		}
		if len(before) > 0 && before[len(before)-1] != '\n' {
			before = append(before, '\n')
		}
		c.Put = append(c.Put, stateFile(disk.History, append(before, history...)))
	}
	return x.commit(c)
}

func stateFile(name string, text []byte) journal.File {
	return journal.File{Name: journal.Name{Place: journal.State, File: name}, Text: journal.NewText(text)}
}
