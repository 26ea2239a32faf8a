package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
)

// A MachineRecord says which machine a store belongs to.
type MachineRecord = machine.Record

// Machine returns the recorded machine of the store and the fingerprint of this one. A store without a
// record returns the zero record.
func (s *Store) Machine() (recorded MachineRecord, observed string, err error) {
	if observed, err = s.fingerprint(); err != nil {
		return MachineRecord{}, "", err
	}
	state, err := s.openPlace(s.opt.StateDir)
	if err != nil || state == nil {
		return MachineRecord{}, observed, err
	}
	defer state.Close()
	recorded, err = readMachine(state)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return recorded, observed, err
}

func readMachine(state *durable.Dir) (MachineRecord, error) {
	text, err := state.ReadFile(fingerprintName, machine.MaxBytes)
	if err != nil {
		return MachineRecord{}, err
	}
	record, err := machine.ParseRecord(text)
	if err != nil {
		return MachineRecord{}, &CorruptError{File: fingerprintName, Why: err.Error()}
	}
	return record, nil
}

type regeneratePayload struct {
	OperatorID     string `json:"operator_id"`
	Reason         string `json:"reason"`
	OldFingerprint string `json:"old_fingerprint"`
	NewFingerprint string `json:"new_fingerprint"`
}

// Regenerate makes this machine the one that the store belongs to, and records who wanted that and why.
// Where the audit log is missing, as after a clone, it begins a new one that says how many rows were
// adopted without their events. An intent that cannot be used, and what is no plain file in the place of one of the
// store's own, go aside with a warning.
func (s *Store) Regenerate(ctx context.Context, operator, reason string) (_ MachineRecord, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if err := checkOperator(operator); err != nil {
		return MachineRecord{}, err
	}
	if strings.TrimSpace(reason) == "" {
		return MachineRecord{}, fault.New(ErrInvalid, "say with --reason why the store moves", "no reason is given")
	}
	observed, err := s.fingerprint()
	if err != nil {
		return MachineRecord{}, err
	}
	record := MachineRecord{Fingerprint: observed, FirstSeenUTC: s.now(), WriterIDDefault: operator}
	x := &session{Store: s}
	defer x.end()
	if err := x.open(); err != nil {
		return MachineRecord{}, err
	}
	if err := x.lock(ctx, s.opt.LockTimeout); err != nil {
		return MachineRecord{}, err
	}
	if err := x.clearWay(); err != nil {
		return MachineRecord{}, err
	}
	return record, x.regenerate(record, operator, reason)
}

// clearWay recovers. What would stop this session goes aside as in a repair, which is refused for as long as the store
// is not this machine's.
func (x *session) clearWay() error {
	var report RepairReport
	m := newMending(x, false, &report)
	err := m.displaceOdd()
	if err == nil {
		err = m.settleIntent()
	}
	for _, done := range report.Done {
		x.opt.Warn(done)
	}
	return err
}

func (x *session) regenerate(record MachineRecord, operator, reason string) error {
	old, err := readMachine(x.state)
	payload := regeneratePayload{operator, reason, old.Fingerprint, record.Fingerprint}
	if err != nil {
		payload.OldFingerprint = "none"
	}
	history, err := json.Marshal(map[string]string{"ts_utc": record.FirstSeenUTC, "operator_id": operator, "reason": reason,
		"old_fingerprint": payload.OldFingerprint, "new_fingerprint": payload.NewFingerprint})
	if err != nil {
		return err
	}
	st := step{
		intent: journal.Intent{Op: journal.OpRegenerate, Fingerprint: string(record.Bytes()), History: string(history)},
		begins: true,
		events: []event{{eventRegenerate, payload}},
		commit: func() error { return x.setFingerprint(record.Bytes()) },
	}
	adopted, err := x.adoptable()
	if err != nil {
		return err
	}
	if adopted.rows > 0 {
		st.events = append([]event{adopted.event("the audit log was missing", "")}, st.events...)
	}
	if err := publishNew(x.state, ".gitignore", []byte("*\n")); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return x.apply(st)
}

// adoptable counts what has no events if the log is missing or empty; else nothing.
func (x *session) adoptable() (found adoption, err error) {
	if entry, err := x.state.Lstat(logName); err == nil && entry.Size > 0 {
		return found, nil
	}
	entries, err := x.scan(x.dir, func(Entry) bool { return true }, nil)
	if err != nil {
		return found, err
	}
	for _, e := range entries {
		found.count(e.Row, nil)
	}
	look := newCheck(x.Store)
	look.state = x.state
	if err := look.readLedgerText(); err != nil {
		return found, err
	}
	for _, line := range (&Ledger{text: look.ledgerText}).lines() {
		if lineKey(line) != "" && !isTorn(look.ledgerText, line) { // what a repair keeps
			found.tokens++
		}
	}
	return found, nil
}

func (x *session) setFingerprint(text []byte) error {
	if err := x.state.Replace(fingerprintName, text, 0o600); err != nil {
		return err
	}
	return x.state.Sync()
}

func fingerprintIsThere(x *session, intent *journal.Intent) (bool, error) {
	text, err := x.state.ReadFile(fingerprintName, machine.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return string(text) == intent.Fingerprint, err
}

func replaceFingerprint(x *session, intent *journal.Intent) error {
	return x.setFingerprint([]byte(intent.Fingerprint))
}

// ensureHistory appends the line of an intent to the history, unless it is the last one already.
func (x *session) ensureHistory(line string) error {
	text, err := x.state.ReadFile(historyName, maxIndex)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read %s: %w", historyName, err)
	}
	if strings.HasSuffix(string(text), line+"\n") {
		return nil
	}
	return x.appendLine(historyName, line)
}
