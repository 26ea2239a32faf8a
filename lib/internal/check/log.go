package check

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// ReadLog returns the content of the log. It fails if the chain is broken. With checkpoints, the caller can
// use [eventlog.Reading.Lacks] afterwards.
func ReadLog(s *store.Store, checkpoints ...eventlog.Checkpoint) (*eventlog.Reading, error) {
	st, err := Look(context.Background(), s, checkpoints...)
	if err != nil || st == nil {
		none, _ := eventlog.Read(eventlog.None()) // never fails
		return none, err
	}
	defer st.Close()
	c := newCheck(st)
	c.checkLog()
	err = c.report.Err()
	if err == nil && st.lacksLog() && st.lists() {
		err = s.LogMissing()
	}
	return st.Log, err
}

// CheckCheckpoint returns nil if the audit log continues the checkpoint. Otherwise the error is ErrIntegrity
// and names the first line that is known to be bad.
func CheckCheckpoint(s *store.Store, c eventlog.Checkpoint) error {
	log, err := ReadLog(s, c)
	if err != nil {
		return err
	}
	if why := log.Lacks(c); why != "" {
		return fault.Integrity("find out what happened to the log: compare it with a backup", "%s", why)
	}
	return nil
}

// checkLog reports what is wrong with the chain.
func (c *check) checkLog() {
	c.report.Faults = append(c.report.Faults, c.unreadable...)
	log := c.Log
	if log.Bad != "" {
		c.fault(log.Bad, remedyRepair, "%v; later events are unproven", log.Why)
	}
	if log.Torn != "" {
		c.fault(log.Torn, remedyWrite+", or "+remedyRepair, "the last line is torn")
	}
	for _, n := range log.Notes {
		c.warn(n.Place, "", "%s", n.Text)
	}
	if n := log.Repeats; n > 0 {
		c.warn(eventlog.Place(log.Repeat), "", "%s from here on repeat earlier ones, which count",
			fault.Count(n, "event"))
	}
	c.report.Events = log.Count
	c.report.Head = log.Head().String()
}
