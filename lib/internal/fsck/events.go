package fsck

import (
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// checkEvents looks for events that no row reflects.
func (c *Check) checkEvents() {
	for id, w := range c.Log.Writes {
		_, pending := c.promised.Writes[id]
		switch {
		case c.Rows[id] != nil || pending || c.hidesRows():
		case c.Log.Aside[id]:
			c.warn(w.Place, "write it again", "records %s, which did not verify and was put aside", id)
		default:
			c.fault(w.Place, remedyRepair, "records %s, which no row lists", id)
		}
	}
	for id := range c.Log.Aside {
		if _, written := c.Log.Writes[id]; !written && c.Rows[id] == nil {
			c.warn(layout.Log, "write it again", "records that %s was lost", id)
		}
	}
	for id, w := range c.Log.Unproven.Writes {
		if c.Rows[id] == nil {
			c.warn(w.Place, remedyRepair, "records %s, which no row lists, behind the break of the chain", id)
		}
	}
	for id := range c.Log.Marks {
		c.checkLostMarks(id)
	}
}

func (c *Check) checkLostMarks(id string) {
	row := c.Rows[id]
	if row == nil {
		if _, written := c.Log.Writes[id]; !written && !c.Log.Aside[id] {
			c.warn(layout.Log, "", "records that %s was read, which nothing records as written", id)
		}
		return
	}
	marks := row.Marks()
	for _, m := range c.Log.Marks[id] {
		if !slices.Contains(marks, m) && !slices.Contains(c.promised.Marks[id], m) {
			c.fault(row.place, remedyRepair, "lacks the read mark %s:%s, which the audit log records", m.Operator, m.Time)
		}
	}
}

// checkRowEvents looks for the events of a row. Behind a broken chain none can be expected; that it is
// broken is said where it breaks.
func (c *Check) checkRowEvents(row *listedRow, doc *document.Document) {
	report := c.fault
	if c.Log.MayLack(row.ID) {
		report = c.warn
	}
	w, ok := c.Log.Writes[row.ID]
	if ok {
		if diff := w.DiffersFrom(row.Row, doc); diff != "" {
			c.fault(w.Place, remedyRepair, "records another %s than %s has", diff, row.place)
		}
	} else if _, pending := c.promised.Writes[row.ID]; !pending && !c.hidesEvents() {
		report(row.place, remedyRepair, "%s has no write event in the audit log", row.ID)
	}
	for _, m := range row.Marks() {
		if !slices.Contains(c.Log.Marks[row.ID], m) && !slices.Contains(c.promised.Marks[row.ID], m) && !c.hidesEvents() {
			report(row.place, remedyRepair, "the read mark %s:%s has no event in the audit log", m.Operator, m.Time)
		}
	}
}
