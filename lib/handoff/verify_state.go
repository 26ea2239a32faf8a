package handoff

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
)

// checkState looks at the files of the state directory and at permissions.
func (c *check) checkState() {
	c.checkMode(c.dir)
	if c.state == nil {
		if len(c.rows) > 0 {
			c.fault(c.opt.StateDir, c.regenerateCommand(), "is missing, and with it the audit log")
		}
		return
	}
	c.checkMode(c.state)
	if len(c.rows) > 0 && len(c.log.hashes)+len(c.promised.writes) == 0 && c.log.bad == "" {
		c.fault(logName, c.regenerateCommand(), "is missing or empty, although there are handoffs")
	}
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
		if entry, err := c.state.Lstat(name); err == nil && entry.Regular && entry.Mode&0o077 != 0 && name != ".gitignore" {
			c.warn(name, "chmod 600 "+name, "can be read or written by others")
		}
	}
}

func (c *check) checkMode(d *durable.Dir) {
	info, err := d.Stat()
	if err != nil {
		c.fault(d.Path(), "", "cannot be read: %v", err)
	} else if info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
		c.warn(d.Path(), "chmod o-w "+d.Path(), "can be written by everybody")
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
		if observed, err := c.fingerprint(); err == nil && observed != record.Fingerprint {
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
