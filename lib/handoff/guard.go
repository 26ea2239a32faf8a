package handoff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
)

// machineOK proves that this machine may change the store.
type machineOK struct{}

// A MachineError says that the store belongs to another machine. It unwraps to ErrIntegrity.
type MachineError struct {
	Expected string // the recorded fingerprint, or why there is none
	Observed string // the fingerprint of this machine
	Lost     bool   // there is no fingerprint that can be read
	Command  string // the command that takes the store over
}

func (e *MachineError) Error() string {
	what := "belongs to another machine"
	if e.Lost {
		what = "does not say which machine it belongs to"
	}
	return fmt.Sprintf("[CROSS-HOST-REFUSED] this store %s: its fingerprint is %s, and this machine has %s", what, e.Expected, e.Observed)
}

// Hint returns the command that takes the store over.
func (e *MachineError) Hint() string {
	if e.Lost {
		return "put " + fingerprintName + " back into the state directory, or, if the store is to belong to this machine, run `" + e.Command + "`"
	}
	return "if the store was moved here for good, or the machine id changed (containers often share one or have none), run `" + e.Command + "`"
}

// Unwrap returns ErrIntegrity.
func (e *MachineError) Unwrap() error { return ErrIntegrity }

// guard refuses to go on when the store belongs to another machine. It takes no lock, so that nothing else
// of a command is looked at before; the session checks once more.
func (s *Store) guard() (machineOK, error) {
	_, err := s.matchesMachine()
	if refused := (*MachineError)(nil); errors.As(err, &refused) {
		s.reportRefusal(refused)
	}
	return machineOK{}, err
}

// Ready says whether a document could be written: that this is the right machine, and that the place can hold a store. It is for
// programs that do long work before they write; Write looks at both again. Errors are ErrIntegrity and ErrConfig.
func (s *Store) Ready() error {
	if _, err := s.guard(); err != nil {
		return err
	}
	return s.checkPlaces()
}

// matchesMachine is compareMachine for a store that is not open. known is false for a store without records.
// Others may begin the store meanwhile: who saw what they stored but not yet whose it is looks again, since
// they record their machine first.
func (s *Store) matchesMachine() (known bool, err error) {
	if known, err = s.lookAtMachine(); errors.As(err, new(*MachineError)) {
		known, err = s.lookAtMachine()
	}
	return known, err
}

func (s *Store) lookAtMachine() (known bool, err error) {
	observed, err := s.fingerprint()
	if err != nil {
		return false, err
	}
	state, err := s.openPlace(s.opt.StateDir)
	if err != nil {
		return false, err
	}
	if state != nil {
		defer state.Close()
	}
	dir, err := s.openPlace(s.opt.Dir)
	if err != nil {
		return false, err
	}
	if dir != nil {
		defer dir.Close()
	}
	return s.compareMachine(dir, state, observed)
}

func (s *Store) fingerprint() (string, error) {
	observed, err := s.opt.Fingerprint()
	if err != nil {
		hint := ""
		if errors.Is(err, machine.ErrNoMachineID) {
			hint = machine.Hint
		}
		return "", fault.New(ErrConfig, hint, "cannot tell which machine this is: %v", err)
	}
	return observed, nil
}

// compareMachine returns whether the store is recorded as this machine's. A store without anything in it
// is nobody's yet. Either directory may be nil, if it does not exist.
func (s *Store) compareMachine(dir, state *durable.Dir, observed string) (known bool, err error) {
	expected, lost := "missing, although there are handoffs", true
	if state != nil {
		text, err := state.ReadFile(fingerprintName, machine.MaxBytes)
		if err == nil {
			var record machine.Record
			if record, err = machine.ParseRecord(text); err == nil && record.Fingerprint == observed {
				return true, nil
			}
			expected, lost = record.Fingerprint, false
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			expected, lost = fmt.Sprintf("unreadable (%v)", err), true
		} else if err != nil {
			begun, err := s.hasBegun(dir, state)
			if err != nil || !begun {
				return false, err
			}
		}
	} else if dir == nil {
		return false, nil
	} else if begun, err := s.hasRows(dir); err != nil || !begun {
		return false, err
	}
	return false, &MachineError{expected, observed, lost, s.regenerateCommand()}
}

// hasBegun reports whether the store has rows or events.
func (s *Store) hasBegun(dir, state *durable.Dir) (bool, error) {
	if entry, err := state.Lstat(logName); err == nil && entry.Size > 0 {
		return true, nil
	}
	if dir == nil {
		return false, nil
	}
	return s.hasRows(dir)
}

// checkMachine is guard under the lock. The first session ever records the machine, durably, before
// anything else is stored.
func (x *session) checkMachine() error {
	observed, err := x.fingerprint()
	if err != nil {
		return err
	}
	known, err := x.compareMachine(x.dir, x.state, observed)
	if refused := (*MachineError)(nil); errors.As(err, &refused) {
		x.logRefusal(refused)
	}
	if err != nil || known {
		return err
	}
	return x.recordMachine(observed)
}

func (x *session) recordMachine(observed string) error {
	root, err := resolve(x.opt.Root)
	if err != nil {
		return err
	}
	for _, dir := range []*durable.Dir{x.dir, x.state} { // of which a command that was interrupted may have made them
		if err := durable.SyncParents(dir.Path(), root); err != nil {
			return err
		}
	}
	record := machine.Record{Fingerprint: observed, FirstSeenUTC: x.now(), WriterIDDefault: x.opt.Operator}
	for _, f := range []struct {
		name string
		text []byte
	}{{".gitignore", []byte("*\n")}, {fingerprintName, record.Bytes()}} {
		if err := publishNew(x.state, f.name, f.text); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return x.state.Sync()
}

// publishNew creates a file of the state directory with its whole content.
func publishNew(d *durable.Dir, name string, text []byte) error {
	staged, err := d.Stage(text, 0o600)
	if err != nil {
		return err
	}
	defer staged.Discard()
	return staged.Publish(name)
}

// reportRefusal leaves a line about a refused change where operators look for it. The refusal stands
// whether or not that works.
func (s *Store) reportRefusal(refused *MachineError) {
	x := &session{Store: s}
	defer x.end()
	if x.open() == nil && x.lock(context.Background(), min(s.opt.LockTimeout, 2*time.Second)) == nil {
		x.logRefusal(refused)
	}
}

func (x *session) logRefusal(refused *MachineError) {
	line, err := json.Marshal(map[string]string{
		"event":                "cross_host_refused",
		"ts_utc":               x.now(),
		"expected_fingerprint": refused.Expected,
		"observed_fingerprint": refused.Observed,
		"recovery_hint":        refused.Command,
	})
	if err == nil {
		err = x.appendLine(stagingName, string(line))
	}
	if err != nil {
		x.opt.Warn(fmt.Sprintf("the refusal could not be recorded in %s: %v", stagingName, err))
	}
}

// appendLine adds a line to a log of the state directory, durably. A torn line before it is ended first.
func (x *session) appendLine(name, line string) error {
	log, err := x.state.OpenLog(name, true)
	if err != nil {
		return err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return err
	}
	text := line + "\n"
	if size := info.Size(); size > 0 {
		var last [1]byte
		if _, err := log.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			text = "\n" + text
		}
	}
	if err := log.Put([]byte(text), info.Size()); err != nil {
		return err
	}
	return x.state.Sync()
}

func (s *Store) now() string { return s.opt.Now().UTC().Format(time.RFC3339) }

// regenerateCommand is the whole command that makes this machine the store's. Who is unknown has to be filled in:
// what stands in the place is no operator.
func (s *Store) regenerateCommand() string {
	operator := s.opt.Operator
	if operator == "" {
		operator = "YOUR NAME"
	}
	return strings.Join([]string{"handoff machine-fingerprint regenerate --handoffs-dir", shellQuote(s.opt.Dir), "--state-dir", shellQuote(s.opt.StateDir),
		"--operator", shellQuote(operator), "--reason 'moved to this machine'"}, " ")
}

func shellQuote(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
