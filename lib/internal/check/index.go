package check

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// checkIndexes reads the rows of all index files and reports every line that should not be there.
func (c *check) checkIndexes() {
	for _, f := range c.Indexes {
		switch {
		case c.isUnreadable(f.Name) || f.Name == disk.IndexFile:
		case f.Missing:
			c.fault(f.Name, remedyRepair, "does not exist, but %s links it or a later one", disk.IndexFile)
		case !index.HasTable([]byte(f.Text)):
			c.fault(f.Name, remedyRepair, "is empty: it has no table")
		}
		if lacks := index.Lacks(strings.TrimPrefix(f.Text, ByteOrderMark)); f.Text != "" && lacks != "" {
			c.warn(f.Name, remedyRepair, "has no %s above its rows", lacks)
		}
	}
	if !c.isUnreadable(disk.IndexFile) && errors.Is(c.HasLostIndex(), store.ErrIndexMissing) {
		c.fault(disk.IndexFile, remedyRebuild, "is missing or empty, but there are handoffs")
	}
	for _, name := range c.FarLinks() {
		c.fault(disk.IndexFile, remedyRepair,
			"links %s, with too many archives missing before it: readers do not find it", name)
	}
	var at lines
	c.ListRows(func(f IndexFile, l index.Line, first *Row) {
		if at.file != f.Name {
			at = lines{file: f.Name}
		}
		c.checkLine(&at, l, first)
	})
}

// lines is the state of checking one index file.
type lines struct {
	file     string
	sides    Conflict
	blank    int // the number of a blank line after a row
	reported bool
	afterRow bool
}

// checkLine checks one line of an index file. A change by a formatter or a merge is a warning, since readers
// understand it. A malformed row is a fault, because it may hide a handoff.
func (c *check) checkLine(at *lines, l index.Line, first *Row) {
	place := fmt.Sprintf("%s:%d", at.file, l.Number)
	isMarker := at.sides.IsMarker(l.Text)
	switch {
	case l.IsRow:
		if at.blank > 0 && !at.reported {
			c.warn(fmt.Sprintf("%s:%d", at.file, at.blank), remedyRepair, "is a blank line between rows")
			at.reported = true
		}
		at.blank, at.afterRow = 0, true
		c.checkRow(place, l, first)
	case store.LooksLikeRow(l.Text):
		c.fault(place, remedyRepair, "looks like a row but is malformed: %.80q", l.Text)
	case l.Number == 1 && strings.HasPrefix(l.Text, ByteOrderMark):
		c.warn(place, remedyRepair, "begins with a byte-order mark: %.80q", l.Text)
	case isMarker:
		c.warn(place, remedyRepair, "is a merge-conflict marker: %.80q", l.Text)
	case !l.IsFurniture():
		c.warn(place, "", "is not part of the table and is ignored: %.80q", l.Text)
	case at.afterRow && at.blank == 0 && strings.TrimSpace(l.Text) == "":
		at.blank = l.Number
	}
}

// ByteOrderMark is a mark that some editors add at the beginning of a text.
const ByteOrderMark = "\ufeff"

// A Conflict finds the markers of merge conflicts in the lines of a file. It tracks whether a conflict is
// open, since the middle marker is also the underline of a Markdown heading.
type Conflict struct {
	open bool // inside the first side
}

// IsMarker reports whether a line is a merge marker of git. Call it for each line in order.
func (c *Conflict) IsMarker(line string) bool {
	wasOpen := c.open
	switch mark, _, _ := strings.Cut(strings.TrimRight(line, "\r"), " "); mark {
	case "<<<<<<<":
		c.open = true
		return true
	case "|||||||":
		return c.open
	case "=======":
		c.open = false
		return wasOpen
	case ">>>>>>>":
		c.open = false
		return true
	}
	return false
}

// checkRow checks a row. first is the first row of its id.
func (c *check) checkRow(place string, l index.Line, first *Row) {
	switch {
	case first.Place() == place:
	case first.File != l.Row.File || !store.SameHandoff(first.Row, l.Row):
		c.fault(place, remedyRepair, "lists %s again, unlike %s", l.Row.ID, first.Place())
	default:
		c.warn(place, remedyRepair, "lists %s again, as %s does", l.Row.ID, first.Place())
	}
}
