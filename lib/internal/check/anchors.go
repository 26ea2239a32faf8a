package check

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

// kept is a checkpoint file of the state directory. err is set if it is malformed.
type kept struct {
	name string
	eventlog.Checkpoint
	err error
}

// readCheckpoints reads the checkpoints in the state directory.
func (s *Snapshot) readCheckpoints() error {
	if s.State == nil {
		return nil
	}
	names, err := s.State.Names(disk.IsCheckpoint)
	slices.SortFunc(names, eventlog.ByCount)
	for _, name := range names {
		signed, err := eventlog.ReadCheckpoint(s.State, name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was moved away meanwhile
		case err == nil, errors.Is(err, fault.ErrIntegrity), errors.Is(err, fault.ErrConfig):
			s.kept = append(s.kept, kept{name, signed.Checkpoint, err})
		default:
			return err
		}
	}
	return err
}

// checkCheckpoints compares the log with the checkpoints in the state directory. It does not check their
// signatures. If the log lacks one checkpoint, it usually lacks all later ones, so they make one fault.
func (c *check) checkCheckpoints() {
	var lacking []string
	var first string
	for _, kept := range c.kept {
		corrupt := (*fault.CorruptError)(nil)
		switch why := c.Log.Lacks(kept.Checkpoint); {
		case errors.As(kept.err, &corrupt):
			c.fault(kept.name, "restore it from a copy, or move it away", "%s", corrupt.Why)
		case kept.err != nil:
			c.warn(kept.name, fault.Remedy(kept.err), "%v", kept.err)
		case c.Log.Bad != "" && kept.Count > c.Log.Count: // another fault covers the log before it
		case why != "":
			lacking = append(lacking, kept.name)
			first = cmp.Or(first, why)
		}
	}
	if len(lacking) == 0 {
		return
	}
	others := ""
	if n := len(lacking) - 1; n > 0 {
		others = fmt.Sprintf(", and %s up to %s", fault.Count(n, "other"), lacking[n])
	}
	c.fault(lacking[0], "find out what happened to the log; to start over, move "+lacking[0]+others+" away",
		"the audit log does not hold it%s: %s", others, first)
}
