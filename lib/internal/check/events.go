package check

import (
	"math"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// checkEvents looks for events that no row reflects.
func (c *check) checkEvents() {
	away, first := 0, math.MaxInt
	for id, h := range c.Log.Handoffs() {
		row := c.Rows[id]
		switch {
		case row != nil:
			c.checkMarks(row, h)
		case h.Pruned:
		case h.IsWritten() && c.hidesRows():
		case h.IsWritten() && h.Aside:
			c.warn(eventlog.Place(h.Line), "write it again", "records %s, which did not verify and was quarantined", id)
		case h.IsWritten() && c.IsElsewhere(h):
			away, first = away+1, min(first, h.Line)
		case h.IsWritten():
			c.fault(eventlog.Place(h.Line), remedyRepair, "records %s, which no row lists", id)
		case h.Aside:
			c.warn(disk.LogFile, "write it again", "records that %s was lost", id)
		case h.ReadBy != "" && !h.Imported:
			c.warn(disk.LogFile, "", "records that %s was read, which nothing records as written", id)
		}
	}
	if away > 0 {
		c.warn(eventlog.Place(first), "", "from here on, %s that the branch in this work tree does not have",
			fault.Count(away, "handoff"))
	}
}

// checkMarks compares the read marks of a row with the recorded ones. If an operator has several, the row may
// have any of them, since several clones may have marked at the same time.
func (c *check) checkMarks(row *Row, logged eventlog.Handoff) {
	if c.Opt.Git == disk.GitTracked { // read marks come with the branch, and have no events
		return
	}
	marks := row.Marks()
	for _, m := range logged.Marks() {
		if !slices.ContainsFunc(marks, func(have index.Mark) bool {
			return have.Operator == m.Operator &&
				logged.HasMark(have)
		}) {
			c.fault(row.Place(), remedyRepair, "lacks the read mark %s:%s, which the audit log records", m.Operator,
				m.Time)
		}
	}
}

// checkRowEvents looks for the events of a row. doc is nil if the document is unreadable. After a break of
// the chain it expects no events, since the break is reported once.
func (c *check) checkRowEvents(row *Row, doc *document.Document) {
	report := c.fault
	if c.Log.MayLack(row.ID) {
		report = c.warn
	}
	logged := c.Log.Of(row.ID)
	if c.Opt.Git.IsShared() || logged.Imported {
		report = func(string, string, string, ...any) {} // others have the events
		if doc != nil && !logged.IsWritten() && !c.isOlder {
			c.countFromOthers()
		}
	}
	switch {
	case logged.IsWritten():
		c.checkWrite(row, doc, logged)
	case !c.hidesEvents():
		report(row.Place(), remedyRepair, "%s has no write event in the audit log", row.ID)
	}
	for _, m := range row.Marks() {
		if !logged.HasMark(m) && !c.hidesEvents() {
			report(row.Place(), remedyRepair, "the read mark %s:%s has no event in the audit log", m.Operator, m.Time)
		}
	}
}

// checkWrite compares a row and its document with the write event. Usually a stored hash shows that they
// agree. If not, the event is read again to find the difference.
func (c *check) checkWrite(row *Row, doc *document.Document, logged eventlog.Handoff) {
	if doc != nil && logged.Says(row.Row, doc) {
		return
	}
	w, err := c.Log.Written(logged)
	if err != nil {
		c.fault(eventlog.Place(logged.Line), "", "cannot be read again: %v", err)
	} else if diff := w.DiffersFrom(row.Row, doc); diff != "" {
		c.fault(eventlog.Place(logged.Line), remedyRepair, "records another %s than %s has", diff, row.Place())
	}
}
