package store

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A MachineError is the error for a store that belongs to another machine. It unwraps to ErrIntegrity.
type MachineError struct {
	Expected string // the recorded fingerprint, or why there is none
	Observed string // the fingerprint of this machine
	Lost     bool   // no recorded fingerprint is readable
	Git      disk.Git
	Command  string // the command that moves the store to this machine
}

// Error names both fingerprints, so that you can tell which machine is which. Scripts match its first word.
func (e *MachineError) Error() string {
	what := "belongs to another machine"
	if e.Lost {
		what = "does not record its machine"
	}
	return fmt.Sprintf("[CROSS-HOST-REFUSED] this store %s: its fingerprint is %s, this machine has %s", what,
		e.Expected, e.Observed)
}

// Plain returns the message without fingerprints.
func (e *MachineError) Plain() string {
	if e.Lost {
		return "[CROSS-HOST-REFUSED] this store does not record its machine; run `handoff machine-fingerprint show`"
	}
	return "[CROSS-HOST-REFUSED] this store belongs to another machine; run `handoff machine-fingerprint show`"
}

// Hint returns the command that moves the store to this machine.
func (e *MachineError) Hint() string {
	switch back := "restore " + disk.FingerprintFile +
		" in the state directory, or move the store to this machine: `" + e.Command + "`"; {
	case e.Lost && e.Git == disk.GitSynced: // git does not clone a synced store
		return back
	case e.Lost:
		return "in a clone, run `handoff init --git tracked`; otherwise " + back
	}
	return "if the store moved here for good, or the machine id changed (as in containers), run `" + e.Command + "`"
}

// Unwrap returns ErrIntegrity.
func (e *MachineError) Unwrap() error { return fault.ErrIntegrity }

// Fingerprint returns the fingerprint of this machine.
func (s *Store) Fingerprint() (string, error) {
	observed, err := s.Opt.Fingerprint()
	if err != nil {
		class, hint := fault.ErrConfig, ""
		switch {
		case errors.Is(err, disk.ErrNoMachineID):
			hint = disk.MachineHint
		case fault.IsLimit(err):
			class, hint = nil, fault.Remedy(err)
		}
		return "", fault.New(class, hint, "cannot identify this machine: %v", err)
	}
	return observed, nil
}

// Now returns the time of the store's clock, in the form of events and marks.
func (s *Store) Now() string { return s.Opt.Now().UTC().Format(time.RFC3339) }

// RegenerateCommand returns the command that moves the store to this machine. If the operator is unknown, the
// command has a placeholder that is not a valid name.
func (s *Store) RegenerateCommand() string { return s.regenerateFor("moved to this machine") }

func (s *Store) regenerateFor(reason string) string {
	operator := s.Opt.Operator
	if operator == "" {
		operator = "YOUR NAME"
	}
	where := "--handoffs-dir " + ShellQuote(s.Opt.Dir)
	if !IsThere(s.Opt.Dir) { // a directory that is named must exist
		where = "--root " + ShellQuote(s.Opt.Root)
	}
	return strings.Join([]string{"handoff machine-fingerprint regenerate", where,
		"--state-dir", ShellQuote(s.Opt.StateDir),
		"--operator", ShellQuote(operator), "--reason", ShellQuote(reason)}, " ")
}

// ShellQuote quotes a path for a shell, so that a command in a message works when pasted.
func ShellQuote(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// ReadMachine reads the machine record of a state directory. A malformed record is ErrIntegrity. If the
// record names no machine, the error also wraps disk.ErrNoMachine.
func ReadMachine(state *disk.Dir) (disk.MachineRecord, error) {
	text, err := state.ReadFile(disk.FingerprintFile, disk.MaxMachineRecord)
	if err != nil {
		return disk.MachineRecord{}, err
	}
	record, err := disk.ParseMachineRecord(text)
	if err != nil {
		return record, fault.Integrity("run `handoff doctor`; nothing was changed", "%s: %v",
			disk.FingerprintFile, err)
	}
	return record, nil
}
