package replica

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// notePruned adds the tombstone that an event is about. That which its writer has from another store
// comes from there too.
func (c *catch) notePruned(writer string, s said) {
	t := handoff.Tombstone{HandoffID: s.HandoffID, Operator: s.Operator, Time: s.Time, Writer: writer}
	isOne := form.IsID(t.HandoffID) && form.IsSlug(t.Operator, document.MaxName) && form.IsInstant(t.Time)
	if isOne && s.Writer == "" && !slices.ContainsFunc(c.held.Pruned, func(h handoff.Tombstone) bool { return h.HandoffID == t.HandoffID }) {
		c.held.Pruned = append(c.held.Pruned, t)
	}
}

// bury takes over the tombstones, once the marks and acts are here that say what is past. What is not
// past here waits; of what is gone nothing does.
func (x *syncing) bury(ctx ctx, c *catch) (err error) {
	if c.held.Pruned, err = x.Bury(ctx, c.held.Pruned); err != nil {
		return err
	}
	isGone := func(id string) bool {
		if _, err := x.Find(id); err == nil {
			return false
		}
		return x.IsPruned(id)
	}
	for id := range c.held.Marks {
		if isGone(id) {
			delete(c.held.Marks, id)
		}
	}
	c.held.Tokens = slices.DeleteFunc(c.held.Tokens, func(t handoff.Consumption) bool { return isGone(t.HandoffID) })
	return nil
}
