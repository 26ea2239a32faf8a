package check

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// checkState checks the files of the state directory.
func (c *check) checkState() {
	_, err := c.Machine()
	isClone := c.IsClone(err)
	if !isClone {
		c.checkLogThere()
	}
	if c.State == nil {
		return
	}
	if !isClone {
		c.checkFingerprint()
	}
	names, err := c.State.Names(func(string) bool { return true })
	if err != nil {
		c.fault(c.Opt.StateDir, "", "cannot be read: %v", err)
	}
	for _, name := range names {
		if disk.IsStaged(name, disk.IsReplaced) {
			c.warn(name, remedyStaged, "was left by an interrupted command")
		}
	}
}

// checkLogThere reports a missing log, once for all rows.
func (c *check) checkLogThere() {
	switch {
	case len(c.Rows) == 0 || !c.lacksLog():
	case c.State == nil:
		c.fault(c.Opt.StateDir, c.RegenerateCommand(), "is missing, and with it the audit log")
	default:
		c.fault(disk.LogFile, c.RegenerateCommand(), "is missing or empty, but there are handoffs")
	}
}

// orderRemedies prefixes remedies with a command that must come first. It moves the store to this machine or
// continues an older state; other commands refuse until then.
func (c *check) orderRemedies() {
	observed, err := c.Fingerprint()
	if err == nil {
		_, err = c.CompareMachine(observed)
	}
	first, refused := "", (*store.MachineError)(nil)
	switch {
	case errors.As(err, &refused):
		first = refused.Command
	case c.isOlder:
		first = c.ContinueCommand()
	default:
		return
	}
	for _, list := range [][]Finding{c.report.Faults, c.report.Warnings} {
		for i, f := range list {
			if strings.HasPrefix(f.Remedy, "handoff doctor --") || strings.HasPrefix(f.Remedy, remedyWrite) {
				list[i].Remedy = first + ", then " + f.Remedy
			}
		}
	}
}

// checkFingerprint compares the machine in the state directory, in the log, and of this system. If this
// system has no fingerprint, that is a warning, since no command can write then.
func (c *check) checkFingerprint() {
	record, err := c.Machine()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(c.Rows)+c.Log.Count > 0 {
			c.fault(disk.FingerprintFile, c.RegenerateCommand(), "is missing, but there are handoffs")
		}
	case err != nil:
		c.fault(disk.FingerprintFile, c.RegenerateCommand(), "cannot be used: %v", err)
	default:
		observed, err := c.Fingerprint()
		if unknown := (*fault.Error)(nil); errors.As(err, &unknown) {
			c.warn(disk.FingerprintFile, unknown.Advice, "cannot be compared, and writing commands refuse: %v", err)
		} else if observed != record.Fingerprint {
			c.fault(disk.FingerprintFile, c.RegenerateCommand(), "the store belongs to another machine")
		}
	}
}
