package txn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

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
	st := Step{
		Intent: Intent{Op: OpRegenerate, Fingerprint: string(record.Bytes()), History: string(history)},
		Begins: true,
		Events: []eventlog.Pending{{Type: eventlog.TypeRegenerate, Payload: payload}},
		Commit: func() error { return x.setFingerprint(record.Bytes()) },
	}
	if adopted.Rows > 0 {
		st.Events = append([]eventlog.Pending{adopted.Event("the audit log was missing", "")}, st.Events...)
	}
	if err := PublishNew(x.State, layout.GitIgnore, []byte("*\n")); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return x.Apply(st)
}

func (x *Session) setFingerprint(text []byte) error {
	if err := x.State.Replace(layout.Fingerprint, text, 0o600); err != nil {
		return err
	}
	return x.State.Sync()
}

func fingerprintIsThere(x *Session, intent *Intent) (bool, error) {
	text, err := x.State.ReadFile(layout.Fingerprint, machine.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return string(text) == intent.Fingerprint, err
}

func replaceFingerprint(x *Session, intent *Intent) error {
	return x.setFingerprint([]byte(intent.Fingerprint))
}

// ensureHistory appends the line of an intent to the history, unless it is the last one already.
func (x *Session) ensureHistory(line string) error {
	text, err := x.State.ReadFile(layout.History, layout.MaxIndex)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read %s: %w", layout.History, err)
	}
	if strings.HasSuffix(string(text), line+"\n") {
		return nil
	}
	return x.appendLine(layout.History, line)
}
