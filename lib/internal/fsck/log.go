package fsck

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// ReadLog returns what the log says, once the chain holds.
func ReadLog(s *store.Store) (*eventlog.Reading, error) {
	c := NewCheck(s)
	dir, err := s.Prover()
	if err != nil || dir == nil {
		return c.Log, err
	}
	c.Dir = dir
	defer c.close()
	if err := c.takeSnapshot(context.Background()); err != nil {
		return nil, err
	}
	c.ReadLog()
	err = c.report.Err()
	if err == nil && len(c.Log.Hashes) == 0 && c.intent == nil && c.listsHandoffs() {
		err = s.LogMissing()
	}
	return c.Log, err
}

// ReadLog walks the chain and reports what is wrong with it.
func (c *Check) ReadLog() {
	c.report.Faults = append(c.report.Faults, c.odd...)
	c.Log = eventlog.Read(c.LogText)
	if c.Log.Bad != "" {
		c.fault(c.Log.Bad, remedyRepair, "%v; what comes after it proves nothing", c.Log.Why)
	}
	if c.Log.Torn != "" && (c.intent == nil || c.Log.TornAt < c.intent.LogOffset) {
		c.fault(c.Log.Torn, "any writing command, or "+remedyRepair, "the last line is torn")
	}
	for _, n := range c.Log.Notes {
		c.warn(n.Place, "", "%s", n.Text)
	}
	for id, place := range c.Log.Again {
		c.fault(place, remedyRepair, "records the write of %s again, after %s", id, c.Log.Writes[id].Place)
	}
	c.report.Events = len(c.Log.Hashes)
	c.report.Head = c.Log.Head().String()
}

// readPromises collects the events of an unfinished change. Rows may have them already or not yet.
func (c *Check) readPromises() {
	if c.intent == nil {
		return
	}
	for l := range eventlog.LogLines([]byte(c.intent.LogLines)) {
		if e := eventlog.ParseEvent(l); e.Err == nil {
			_ = c.promised.Collect(e) // what it cannot read it does not promise
		}
	}
}
