package fsck

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Adoptable counts what has no events if the log of an open store is missing or empty; else nothing.
func Adoptable(ctx context.Context, d store.Dirs) (eventlog.Adoption, error) {
	if has, err := d.HasEvents(); err != nil || has {
		return eventlog.Adoption{}, err
	}
	s, err := LookIn(ctx, d)
	if err != nil {
		return eventlog.Adoption{}, err
	}
	defer s.Release()
	s.ListRows(nil)
	return s.Unlogged(func(string) bool { return true }), nil
}

// checkAdoption looks for more without events than was adopted. Which of it was not, nothing tells.
func (c *check) checkAdoption() {
	known := c.Log.Adopted
	if known.Rows == 0 || c.Log.Bad != "" {
		return
	}
	if found := c.Unlogged(c.Log.MayLack); !known.Covers(found) {
		c.fault(layout.Log, remedyRepair, "lacks the events of %s, %s and %s, of which %d, %d and %d were taken over without: its end may have been cut",
			fault.Count(found.Rows, "handoff"), fault.Count(found.Marks, "read mark"), fault.Count(found.Tokens, "consumed token"),
			min(found.Rows, known.Rows), min(found.Marks, known.Marks), min(found.Tokens, known.Tokens))
	}
}
