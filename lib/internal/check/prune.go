package check

import (
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// IsPruned reports whether a handoff was pruned. It reads the current files if the snapshot does not have the
// prune.
func (s *Snapshot) IsPruned(id string) bool {
	if s.Log.Of(id).Pruned {
		return true
	}
	if text, err := txn.ReadTombstones(s.State); err != nil || !txn.IsTombstoned(text, id) {
		return false
	}
	now := Snapshot{Dirs: s.Dirs, done: func() error { return nil }}
	defer func() { now.Release() }()
	if now.openLog() != nil {
		return false
	}
	log, err := eventlog.Read(now.log)
	return err == nil && log.Of(id).Pruned
}

// checkTombstones compares the file of tombstones with the events. An id that is missing in the file could be
// stored again.
func (c *check) checkTombstones() {
	text, err := txn.ReadTombstones(c.State)
	if err != nil {
		c.fault(disk.Tombstones, remedyRepair, "cannot be read: %v", err)
		return
	}
	known := txn.Tombstoned(text)
	for id := range known {
		if h := c.Log.Of(id); !form.IsID(id) || !h.Pruned && !h.IsWritten() && !c.hidesEvents() {
			c.warn(disk.Tombstones, remedyRepair, "names %.80q, which the audit log does not record as pruned", id)
		}
	}
	for id, h := range c.Log.Handoffs() {
		if h.Pruned && !known[id] {
			c.fault(disk.Tombstones, remedyRepair,
				"lacks %s, which the audit log records as pruned: it could be stored again", id)
		}
	}
}
