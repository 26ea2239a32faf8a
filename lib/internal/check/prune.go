package check

import (
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// isPruned reports whether a handoff was pruned, perhaps since the log was read. A handoff that was stored again has a
// tombstone from before. Another finding covers tombstones that another program added.
func (s *Snapshot) isPruned(id string) bool {
	tombstones, err := txn.ReadTombstones(s.State)
	h := s.Log.Of(id)
	return h.Pruned || !h.Restored && err == nil && tombstones.IDs[id]
}

// checkTombstones compares the file of tombstones with the events.
func (c *check) checkTombstones() {
	tombstones, err := txn.ReadTombstones(c.State)
	if err != nil {
		c.fault(disk.Tombstones, remedyRepair, "cannot be read: %v", err)
		return
	}
	for id := range tombstones.IDs {
		if h := c.Log.Of(id); !form.IsID(id) || !h.Pruned && !h.IsWritten() && !c.hidesEvents() {
			c.warn(disk.Tombstones, remedyRepair, "names %.80q, which the audit log does not record as pruned", id)
		}
	}
	for id, h := range c.Log.Handoffs() {
		if h.Pruned && !tombstones.IDs[id] {
			c.fault(disk.Tombstones, remedyRepair,
				"lacks %s, which the audit log records as pruned", id)
		}
	}
}
