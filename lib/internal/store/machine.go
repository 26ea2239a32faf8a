package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// A MachineError is the error for a store that belongs to another machine. It unwraps to fault.ErrIntegrity.
type MachineError struct {
	Expected string // the recorded fingerprint, or why there is none
	Observed string // the fingerprint of this machine
	Lost     bool   // no recorded fingerprint is readable
	Command  string // moves the store to this machine
}

// Error says which store it is. Scripts match its first word.
func (e *MachineError) Error() string {
	if e.Lost {
		return refused + "this store does not record its machine: its fingerprint is " + e.Expected
	}
	return refused + "this store belongs to another machine"
}

const refused = "[CROSS-HOST-REFUSED] "

// Plain returns the message without text of the record.
func (e *MachineError) Plain() string {
	return refused + "this store is not of this machine; run `handoff machine-fingerprint show`"
}

// Hint returns the command that moves the store to this machine.
func (e *MachineError) Hint() string {
	if e.Lost {
		return "restore " + disk.FingerprintFile + " in the state directory, or run `" + e.Command + "`"
	}
	return "if the store moved here for good, or the machine id changed (as in containers), run `" + e.Command +
		"`; to use it on both machines, add --add"
}

// Unwrap returns fault.ErrIntegrity.
func (e *MachineError) Unwrap() error { return fault.ErrIntegrity }

// Fingerprint returns the fingerprint of this machine.
func (s *Store) Fingerprint() (string, error) {
	observed, err := s.Opt.Fingerprint()
	return observed, fault.Explain(err, "cannot identify this machine", "run the command again")
}

// Guard returns a *MachineError if the store belongs to another machine, and logs that for its operators. It takes no
// lock, so a command calls it first. A change checks again.
func (s *Store) Guard() error {
	if _, err := s.Fingerprint(); err != nil {
		return err
	}
	state, err := s.open(s.Opt.StateDir)
	if err != nil || state == nil {
		return err
	}
	defer state.Close()
	return s.compareMachine(state)
}

// compareMachine is Guard for an open state directory.
func (s *Store) compareMachine(state *disk.Dir) error {
	err := s.CheckMachine(state)
	if refusal, is := errors.AsType[*MachineError](err); is {
		s.logRefusal(state, refusal)
	}
	return err
}

// CheckMachine is Guard for an open state directory, and writes nothing.
func (s *Store) CheckMachine(state *disk.Dir) error {
	observed, err := s.Fingerprint()
	if err != nil {
		return err
	}
	record, err := ReadMachine(state)
	if err == nil && record.Knows(observed) {
		return nil
	}
	refusal := &MachineError{Expected: record.Fingerprint, Observed: observed, Lost: err != nil,
		Command: s.RegenerateCommand("moved to this machine")}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		has := false
		err := s.Events(func(log.Event) { has = true })
		if err != nil && !errors.Is(err, fault.ErrIntegrity) || err == nil && !has {
			return err
		}
		if record, err = ReadMachine(state); err == nil && record.Knows(observed) {
			return nil // another first writer came between
		}
		refusal.Expected = "missing, but there are events"
	case fault.IsLimit(err):
		return fault.Unreadable(err)
	case err != nil:
		refusal.Expected = "unreadable (" + err.Error() + ")"
	}
	return refusal
}

// errOther returns err, or nil if it is one of a kind.
func errOther(err error, kind any) error {
	if err != nil && errors.As(err, kind) {
		return nil
	}
	return err
}

// logRefusal logs that a command of another machine was refused. It is for people, so it is best effort.
func (s *Store) logRefusal(state *disk.Dir, refusal *MachineError) {
	line, err := json.Marshal(map[string]string{
		"event":                "CROSS-HOST-REFUSED",
		"ts_utc":               s.Opt.Now().UTC().Format(time.RFC3339),
		"expected_fingerprint": refusal.Expected,
		"observed_fingerprint": refusal.Observed,
		"recovery_hint":        refusal.Command,
	})
	var f *os.File
	if err == nil {
		f, err = state.OpenLog(disk.StagingLog)
	}
	if err == nil {
		defer f.Close()
		_, err = f.Seek(0, io.SeekEnd)
	}
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if err != nil {
		s.Opt.Warn(fmt.Sprintf("the refusal could not be recorded in %s: %v", disk.StagingLog, err))
	}
}

// RegenerateCommand returns the command that moves the store to this machine. Without an operator it finds out who
// runs it.
func (s *Store) RegenerateCommand(reason string) string {
	who := ""
	if s.Opt.Operator != "" {
		who = "--operator " + ShellQuote(s.Opt.Operator) + " "
	}
	where := "--handoffs-dir " + ShellQuote(s.Opt.Dir)
	if !IsThere(s.Opt.Dir) { // a directory that is named must exist
		where = "--root " + ShellQuote(s.Opt.Root)
	}
	return strings.Join([]string{"handoff machine-fingerprint regenerate", where,
		"--state-dir", ShellQuote(s.Opt.StateDir),
		who + "--reason", ShellQuote(reason)}, " ")
}

// ShellQuote quotes a path for a shell, so that a command in a message works when pasted.
func ShellQuote(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// Machine returns the recorded machine of the store, the zero record if there is none.
func (s *Store) Machine() (record disk.MachineRecord, err error) {
	state, err := s.open(s.Opt.StateDir)
	if err != nil || state == nil {
		return record, err
	}
	defer state.Close()
	record, err = ReadMachine(state)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return record, err
}

// ReadMachine reads the machine record of a state directory. A malformed record is fault.ErrIntegrity.
func ReadMachine(state *disk.Dir) (disk.MachineRecord, error) {
	text, err := state.Read(disk.FingerprintFile, disk.MaxMachineRecord)
	if err != nil {
		return disk.MachineRecord{}, err
	}
	record, err := disk.ParseMachineRecord(text)
	if err != nil {
		return record, fault.Integrity("run `handoff machine-fingerprint show`", "%s: %v", disk.FingerprintFile, err)
	}
	return record, nil
}

// Regenerate records this machine as that of the store; with add, beside those that it had. Its writer stays. If the
// log cannot go on, it has no event of it: Repair comes next.
func (s *Store) Regenerate(ctx context.Context, operator, reason string, add bool) (record disk.MachineRecord,
	err error) {
	record = s.newMachine()
	record.WriterIDDefault = operator
	if look, err := s.Look(true); err == nil {
		record.Writer = cmp.Or(look.Writer, record.Writer)
	}
	if err = s.locked(ctx, func(c *Change) error { return c.nameMachine(&record, add) }); err != nil {
		return record, err
	}
	err = s.Change(ctx, func(c *Change) error {
		c.Add(log.Regenerate, log.Payload{Operator: operator, Reason: reason, Fingerprint: record.Fingerprint,
			Writer: record.Writer, Also: record.Also, Time: log.Stamp(c.Now)})
		return nil
	})
	if errors.Is(err, fault.ErrIntegrity) {
		s.Opt.Warn(fault.Sentence(err))
		err = nil
	}
	return record, err
}

// nameMachine completes and stores a new record of the machine.
func (c *Change) nameMachine(record *disk.MachineRecord, add bool) error {
	r := &Repair{Change: c, Say: c.store.Opt.Warn}
	if _, err := r.setOddAside(c.state, disk.FingerprintFile); err != nil {
		return err
	}
	old, err := ReadMachine(c.state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fault.ErrIntegrity) {
		return err
	}
	record.Writer = cmp.Or(old.Writer, record.Writer)
	if observed := record.Fingerprint; add && old.Fingerprint != "" {
		record.Fingerprint, record.Also, record.FirstSeenUTC = old.Fingerprint, old.Also, old.FirstSeenUTC
		if !old.Knows(observed) {
			record.Also = append(old.Also, observed)
		}
	}
	return c.state.Replace(disk.FingerprintFile, record.Bytes(), 0, true)
}

// newMachine returns a record of this machine, with a new writer.
func (s *Store) newMachine() disk.MachineRecord {
	observed, _ := s.Fingerprint() // it was compared before
	return disk.MachineRecord{Fingerprint: observed, FirstSeenUTC: s.Opt.Now().UTC().Format(time.RFC3339),
		WriterIDDefault: s.Opt.Operator, Writer: disk.NewWriter()}
}
