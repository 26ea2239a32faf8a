package handoff

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
)

// checkState looks at the files of the state directory and at permissions.
func (c *check) checkState() {
	c.checkDirMode(c.dir)
	c.checkLogThere()
	if c.state == nil {
		return
	}
	c.checkDirMode(c.state)
	c.checkStateOwner()
	c.checkFingerprint()
	for _, name := range []string{historyName, stagingName} {
		c.checkLines(name)
	}
	names, err := c.state.Names(func(string) bool { return true })
	if err != nil {
		c.fault(c.opt.StateDir, "", "cannot be read: %v", err)
	}
	for _, name := range names {
		if durable.IsStaged(name, isReplaced) {
			c.warn(name, remedyStaged(name), "was left by an interrupted command")
		}
		entry, err := c.state.Lstat(name)
		if err != nil || !entry.Regular {
			continue
		}
		c.checkOwnFile(c.state, name, entry)
		if entry.Mode&0o077 != 0 && name != ".gitignore" {
			c.warn(name, chmod("600", c.state, name), "can be read or written by others")
		}
	}
}

// checkLogThere reports a log that is missing, once for all rows.
func (c *check) checkLogThere() {
	switch {
	case len(c.rows) == 0 || !c.lacksLog():
	case c.state == nil:
		c.fault(c.opt.StateDir, c.regenerateCommand(), "is missing, and with it the audit log")
	default:
		c.fault(logName, c.regenerateCommand(), "is missing or empty, although there are handoffs")
	}
}

// orderRemedies puts the command that makes the store this machine's before those that are refused until then.
func (c *check) orderRemedies() {
	observed, err := c.fingerprint()
	if err == nil {
		_, err = c.compareMachine(c.dir, c.state, observed)
	}
	refused := (*MachineError)(nil)
	if !errors.As(err, &refused) {
		return
	}
	for _, list := range [][]Finding{c.report.Faults, c.report.Warnings} {
		for i, f := range list {
			if strings.HasPrefix(f.Remedy, "handoff doctor") {
				list[i].Remedy = refused.Command + ", then " + f.Remedy
			}
		}
	}
}

func (c *check) checkFingerprint() {
	record, err := readMachine(c.state)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(c.rows)+len(c.log.hashes) > 0 {
			c.fault(fingerprintName, c.regenerateCommand(), "is missing, although there are handoffs")
		}
	case err != nil:
		c.fault(fingerprintName, c.regenerateCommand(), "cannot be used: %v", err)
	case c.promised.machine != "": // a regenerate is under way
	case c.log.machine != "" && c.log.machine != record.Fingerprint:
		c.fault(fingerprintName, c.regenerateCommand(), "is not the one that the audit log records")
	default:
		observed, err := c.fingerprint()
		if unknown := (*Error)(nil); errors.As(err, &unknown) {
			c.warn(fingerprintName, unknown.Advice, "cannot be compared, and writing commands refuse: %v", err)
		} else if observed != record.Fingerprint {
			c.fault(fingerprintName, c.regenerateCommand(), "the store belongs to another machine")
		}
	}
}

// checkLines expects one JSON object a line.
func (c *check) checkLines(name string) {
	text, err := c.state.ReadFile(name, maxLog)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		c.fault(name, "", "cannot be read: %v", err)
		return
	}
	for line := range strings.Lines(string(text)) {
		if !json.Valid([]byte(line)) || !strings.HasSuffix(line, "\n") {
			c.warn(name, "", "has a line that is no JSON object: %.80q", line)
		}
	}
}
