package check

import (
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
		case c.isOdd(f.Name) || f.Name == disk.IndexFile:
		case f.Missing:
			c.fault(f.Name, remedyRepair, "does not exist, although %s links it or a later one", disk.IndexFile)
		case !index.HasTable([]byte(f.Text)):
			c.fault(f.Name, remedyRepair, "was emptied: it has no table any more")
		}
		if lacks := index.Lacks(strings.TrimPrefix(f.Text, ByteOrderMark)); f.Text != "" && lacks != "" {
			c.warn(f.Name, remedyRepair, "has no %s above its rows", lacks)
		}
	}
	if !c.isOdd(disk.IndexFile) && c.LosesIndex() {
		c.fault(disk.IndexFile, remedyRebuild, "is missing or empty, although there are handoffs")
	}
	for _, name := range c.FarLinks() {
		c.fault(disk.IndexFile, remedyRepair, "links %s, with too many archives missing before it: no reader comes to it", name)
	}
	var at lines
	c.ListRows(func(f IndexFile, l index.Line, first *Row) {
		if at.file != f.Name {
			at = lines{file: f.Name}
		}
		c.checkLine(&at, l, first)
	})
}

// lines is what has been seen of an index file.
type lines struct {
	file     string
	sides    Conflict
	blank    int // the number of a blank line after a row
	reported bool
	afterRow bool
}

// checkLine looks at one line of an index file. What a formatter or a merge may have done to it is a
// warning, since readers understand it all the same; what looks like a row and cannot be read as one is a
// fault, because a handoff may hide behind it.
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
		c.fault(place, remedyRepair, "looks like a row, but is none: %.80q", l.Text)
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

// ByteOrderMark is what editors of other systems put before a text.
const ByteOrderMark = "\ufeff"

// A Conflict finds the markers of merge conflicts in the lines of a file. The one between the sides can be
// anything else outside of a conflict, such as the line under a heading.
type Conflict struct {
	open bool // the side above has begun
}

// IsMarker reports whether a line is a marker that a merge of git left, and remembers whether a conflict is
// open: a line of equals signs is a heading of Markdown elsewhere.
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

// checkRow looks at a row. first is the first one of its id.
func (c *check) checkRow(place string, l index.Line, first *Row) {
	if l.Row.String() != l.Text {
		c.warn(place, remedyRepair, "is spaced otherwise than the store writes rows")
	}
	for _, name := range l.Row.Unmarked() {
		c.warn(place, "handoff mark-read "+l.Row.ID+" "+name, "names %s in read_by without a time, which is not a read mark", name)
	}
	switch {
	case first.Place() == place:
	case first.File != l.Row.File || !store.SameHandoff(first.Row, l.Row):
		c.fault(place, remedyRepair, "lists %s again, otherwise than %s", l.Row.ID, first.Place())
	default:
		c.warn(place, remedyRepair, "lists %s again, as %s does", l.Row.ID, first.Place())
	}
}
