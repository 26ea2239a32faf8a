package handoff

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// A keptCheckpoint is what a file of the state directory says, or why it says nothing.
type keptCheckpoint struct {
	name string
	Checkpoint
	err error
}

// readCheckpoints reads the checkpoints in the state directory. They are read before the log, which may go on
// in between and still holds them.
func (c *check) readCheckpoints() error {
	if err := c.openState(); err != nil || c.state == nil {
		return err
	}
	names, err := c.state.Names(func(name string) bool {
		return strings.HasPrefix(name, checkpointPrefix) && !strings.HasSuffix(name, ".sig")
	})
	slices.Sort(names)
	for _, name := range names {
		kept, err := c.readCheckpoint(c.state, name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was moved away just now
		case err == nil, errors.Is(err, ErrIntegrity), errors.Is(err, ErrConfig):
			c.kept = append(c.kept, keptCheckpoint{name, kept.Checkpoint, err})
		default:
			return err
		}
	}
	return err
}

// checkCheckpoints holds the log against the checkpoints in the state directory. Who signed them is not looked at.
func (c *check) checkCheckpoints() {
	for _, kept := range c.kept {
		corrupt := (*CorruptError)(nil)
		switch {
		case errors.As(kept.err, &corrupt):
			c.fault(kept.name, "restore it from a copy, or move it away", "%s", corrupt.Why)
		case kept.err != nil:
			c.warn(kept.name, remedy(kept.err), "%v", kept.err)
		case c.log.bad != "" && kept.Count > len(c.log.hashes): // the log is at fault before it
		default:
			if line, why := c.log.lacks(kept.Checkpoint); why != "" {
				c.fault(kept.name, "find out what happened to the log; to begin anew, move "+kept.name+" away",
					"the audit log does not hold it: %s:%d: %s", logName, line, why)
			}
		}
	}
}
