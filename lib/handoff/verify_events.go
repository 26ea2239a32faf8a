package handoff

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// checkEvents looks for events that no row reflects.
func (c *check) checkEvents() {
	for id, w := range c.log.writes {
		_, pending := c.promised.writes[id]
		switch {
		case c.rows[id] != nil || pending || c.hidesRows():
		case c.log.aside[id]:
			c.warn(w.place, "write it again", "records %s, which did not verify and was put aside", id)
		default:
			c.fault(w.place, remedyRepair, "records %s, which no row lists", id)
		}
	}
	for id := range c.log.aside {
		if _, written := c.log.writes[id]; !written && c.rows[id] == nil {
			c.warn(logName, "write it again", "records that %s was lost", id)
		}
	}
	for id, w := range c.unproven.writes {
		if c.rows[id] == nil {
			c.warn(w.place, remedyRepair, "records %s, which no row lists, behind the break of the chain", id)
		}
	}
	for id := range c.log.marks {
		c.checkLostMarks(id)
	}
}

func (c *check) checkLostMarks(id string) {
	row := c.rows[id]
	if row == nil {
		if _, written := c.log.writes[id]; !written && !c.log.aside[id] {
			c.warn(logName, "", "records that %s was read, which nothing records as written", id)
		}
		return
	}
	marks := row.Marks()
	for _, m := range c.log.marks[id] {
		if !slices.Contains(marks, m) && !slices.Contains(c.promised.marks[id], m) {
			c.fault(row.place, remedyRepair, "lacks the read mark %s:%s, which the audit log records", m.Operator, m.Time)
		}
	}
}

// checkRowEvents looks for the events of a row. Behind a broken chain none can be expected; that it is
// broken is said where it breaks.
func (c *check) checkRowEvents(row *listedRow, doc *Document) {
	report := c.fault
	if c.log.mayLack(row.ID) {
		report = c.warn
	}
	w, ok := c.log.writes[row.ID]
	if ok {
		if diff := w.differsFrom(row.Row, doc); diff != "" {
			c.fault(w.place, remedyRepair, "records another %s than %s has", diff, row.place)
		}
	} else if _, pending := c.promised.writes[row.ID]; !pending && !c.hidesEvents() {
		report(row.place, remedyRepair, "%s has no write event in the audit log", row.ID)
	}
	for _, m := range row.Marks() {
		if !slices.Contains(c.log.marks[row.ID], m) && !slices.Contains(c.promised.marks[row.ID], m) && !c.hidesEvents() {
			report(row.place, remedyRepair, "the read mark %s:%s has no event in the audit log", m.Operator, m.Time)
		}
	}
}

// differsFrom returns the name of the first thing that the event says otherwise than the row, or than the
// document if there is one.
func (w loggedWrite) differsFrom(row index.Row, doc *Document) string {
	switch {
	case w.From != row.From:
		return "from"
	case w.To != row.To:
		return "to"
	case w.Topic != row.Topic:
		return "topic"
	case w.Time != row.Time:
		return "ts_utc"
	case path.Base(w.FilePath) != row.File:
		return "file"
	case doc == nil:
		return ""
	case w.SchemaVersion != doc.SchemaVersion:
		return "schema_version"
	case w.ReferencesCount != len(doc.References):
		return "references_count"
	case !slices.Equal(w.Tags, doc.Tags):
		return "tags"
	case w.BodyByteSize != len(doc.Body):
		return "body_byte_size"
	}
	return ""
}

// describe lists up to a few ids for a person.
func describe(ids []string) string {
	const few = 3
	if len(ids) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:few], ", "), len(ids)-few)
	}
	return strings.Join(ids, ", ")
}
