package store

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A MachineError says that the store belongs to another machine. It unwraps to ErrIntegrity.
type MachineError struct {
	Expected string // the recorded fingerprint, or why there is none
	Observed string // the fingerprint of this machine
	Lost     bool   // there is no fingerprint that can be read
	Git      disk.Git
	Command  string // the command that takes the store over
}

// Error names both fingerprints, so that who moved the store can tell which is which. Scripts look for its
// first word.
func (e *MachineError) Error() string {
	what := "belongs to another machine"
	if e.Lost {
		what = "does not say which machine it belongs to"
	}
	return fmt.Sprintf("[CROSS-HOST-REFUSED] this store %s: its fingerprint is %s, and this machine has %s", what, e.Expected, e.Observed)
}

// Plain says no fingerprint.
func (e *MachineError) Plain() string {
	if e.Lost {
		return "[CROSS-HOST-REFUSED] this store does not say which machine it belongs to; `handoff machine-fingerprint show` says more"
	}
	return "[CROSS-HOST-REFUSED] this store belongs to another machine; `handoff machine-fingerprint show` says more"
}

// Hint returns the command that takes the store over.
func (e *MachineError) Hint() string {
	switch back := "put " + disk.FingerprintFile + " back into the state directory, or, if the store is to belong to this machine, run `" + e.Command + "`"; {
	case e.Lost && e.Git == disk.GitSynced: // which git does not clone
		return back
	case e.Lost:
		return "if this is a clone, run `handoff init --git tracked`, and it becomes a replica of its own; else " + back
	}
	return "if the store was moved here for good, or the machine id changed (containers often share one or have none), run `" + e.Command + "`"
}

// Unwrap returns ErrIntegrity.
func (e *MachineError) Unwrap() error { return fault.ErrIntegrity }

// Fingerprint returns that of this machine.
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
		return "", fault.New(class, hint, "cannot tell which machine this is: %v", err)
	}
	return observed, nil
}

// Now returns the time of the store's clock, as events and marks record it.
func (s *Store) Now() string { return s.Opt.Now().UTC().Format(time.RFC3339) }

// RegenerateCommand is the whole command that makes this machine the store's. Who is unknown has to be
// filled in: what stands in the place is no operator.
func (s *Store) RegenerateCommand() string { return s.regenerateFor("moved to this machine") }

func (s *Store) regenerateFor(reason string) string {
	operator := s.Opt.Operator
	if operator == "" {
		operator = "YOUR NAME"
	}
	return strings.Join([]string{"handoff machine-fingerprint regenerate --handoffs-dir", ShellQuote(s.Opt.Dir), "--state-dir", ShellQuote(s.Opt.StateDir),
		"--operator", ShellQuote(operator), "--reason", ShellQuote(reason)}, " ")
}

// ShellQuote returns a path as a shell reads it: a command in a message is there to be copied.
func ShellQuote(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// ReadMachine returns the record of the state directory. One that cannot be used is ErrIntegrity; that
// of no machine comes with machine.ErrNoMachine.
func ReadMachine(state *disk.Dir) (disk.MachineRecord, error) {
	text, err := state.ReadFile(disk.FingerprintFile, disk.MaxMachineRecord)
	if err != nil {
		return disk.MachineRecord{}, err
	}
	record, err := disk.ParseMachineRecord(text)
	if err != nil {
		return record, &fault.Error{Class: fault.ErrIntegrity, Cause: err, Problem: disk.FingerprintFile + ": " + err.Error(),
			Advice: "run `handoff doctor` to see what is wrong and how to mend it; nothing was changed"}
	}
	return record, nil
}
