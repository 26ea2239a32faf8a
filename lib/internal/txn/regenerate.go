package txn

import (
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// regenerate names another machine in the fingerprint file, whose replacement commits it; the history follows.
var regenerate = Operation{Name: "regenerate", committed: fingerprintIsThere, redo: setFingerprint, settle: ensureHistory}

// Regenerate makes the machine of the record the one that the store belongs to. adopted is what it
// takes over without events.
func (x *Session) Regenerate(record machine.Record, operator, reason string, adopted eventlog.Adoption) error {
	old, err := store.ReadMachine(x.State)
	payload := eventlog.Regenerated{OperatorID: operator, Reason: reason, OldFingerprint: old.Fingerprint, NewFingerprint: record.Fingerprint}
	if err != nil {
		payload.OldFingerprint = "none"
	}
	history, err := json.Marshal(map[string]string{"ts_utc": record.FirstSeenUTC, "operator_id": operator, "reason": reason,
		"old_fingerprint": payload.OldFingerprint, "new_fingerprint": payload.NewFingerprint})
	if err != nil {
		return err
	}
	events := []eventlog.Pending{{Type: eventlog.TypeRegenerate, Payload: payload}}
	if adopted.Rows > 0 {
		events = append([]eventlog.Pending{adopted.Event("the audit log was missing", "")}, events...)
	}
	return x.nameMachine(&regenerate, record, string(history), events)
}

// nameMachine makes the machine of the record the one that the store belongs to. The log may begin with it.
func (x *Session) nameMachine(op *Operation, record machine.Record, history string, events []eventlog.Pending) error {
	record.Writer, record.Secret = "", "" // which stay as they are; others may read an intent
	if err := x.hideState(); err != nil {
		return err
	}
	return x.apply(step{op: op, intent: Intent{Fingerprint: string(record.Bytes()), History: history}, begins: true, events: events})
}

// setFingerprint writes the record of an intent, with the writer and the secret of the state directory. Who
// takes a state directory over may have a copy of it, and so is another writer from then on.
func setFingerprint(x *Session, intent *Intent) error {
	record, err := machine.ParseRecord([]byte(intent.Fingerprint))
	if err != nil {
		return err
	}
	old, err := store.ReadMachine(x.State)
	if err == nil || errors.Is(err, machine.ErrNoMachine) {
		if record.Secret = old.Secret; intent.History == "" {
			record.Writer = old.Writer
		}
	}
	if old.Writer != "" {
		record.Complete()
	}
	return x.State.ReplaceNow(layout.Fingerprint, record.Bytes(), 0o600)
}

// fingerprintIsThere reports whether a regenerate was committed. Writer and secret stay what they were, and
// are not a part of the intent.
func fingerprintIsThere(x *Session, intent *Intent) (bool, error) {
	record, err := store.ReadMachine(x.State)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, machine.ErrNoMachine) {
		return false, nil
	}
	record.Writer, record.Secret = "", ""
	return string(record.Bytes()) == intent.Fingerprint, err
}

// ensureHistory makes the line of an intent the last of the history.
func ensureHistory(x *Session, intent *Intent) error {
	return x.appendLine(layout.History, intent.History, true)
}
