package fsck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// ReadIndexes reads the rows of all index files and reports every line that should not be there.
func (c *Check) ReadIndexes() {
	for _, f := range c.Indexes {
		switch {
		case c.isOdd(f.Name):
		case f.Name == layout.Index:
			if index.ListsNothing(f.Text) {
				c.checkNoIndex()
			}
		case f.Text == nil:
			c.fault(f.Name, remedyRepair, "does not exist, although %s links it or a later one", layout.Index)
		case !index.HasTable(f.Text):
			c.fault(f.Name, remedyRepair, "was emptied: it has no table any more")
		}
		c.readLines(f)
	}
	for _, name := range c.FarLinks() {
		c.fault(layout.Index, remedyRepair, "links %s, with too many archives missing before it: no reader comes to it", name)
	}
}

// FarLinks returns the archives that INDEX.md links and that no reader comes to.
func (c *Check) FarLinks() []string {
	return slices.DeleteFunc(index.Archives(string(c.Indexes[0].Text)), func(name string) bool {
		return slices.ContainsFunc(c.Indexes, func(f IndexText) bool { return f.Name == name })
	})
}

// checkNoIndex is for an INDEX.md that lists nothing. It looks again: the first handoffs may have come since the
// snapshot.
func (c *Check) checkNoIndex() {
	names, err := c.Dir.Names(index.IsFile)
	now := NewCheck(c.Store)
	now.Dir, now.State = c.Dir, c.State
	if err == nil && len(names) > 0 {
		err = now.ReadSnapshot()
	}
	names = slices.DeleteFunc(names, func(name string) bool { return publishes(now.intent, name) })
	lost := false
	if err == nil && len(names) > 0 && index.ListsNothing(now.Indexes[0].Text) {
		lost, err = c.HasLost(c.Dir, now.Indexes[0].Text)
	}
	if err != nil || lost {
		c.fault(layout.Index, remedyRebuild, "is missing or empty, although there are handoffs")
	}
}

func (c *Check) readLines(f IndexText) {
	if lacks := index.Lacks(strings.TrimPrefix(string(f.Text), ByteOrderMark)); len(f.Text) > 0 && lacks != "" {
		c.warn(f.Name, remedyRepair, "has no %s above its rows", lacks)
	}
	blank, reported, afterRow := 0, false, false
	var sides Conflict
	for l := range index.Lines(string(f.Text)) {
		switch {
		case l.IsRow:
			if blank > 0 && !reported {
				c.warn(fmt.Sprintf("%s:%d", f.Name, blank), remedyRepair, "is a blank line between rows")
				reported = true
			}
			blank, afterRow = 0, true
		case afterRow && blank == 0 && strings.TrimSpace(l.Text) == "":
			blank = l.Number
		}
		c.line(f.Name, l, sides.IsMarker(l.Text))
	}
}

// ByteOrderMark is what editors of other systems put before a text.
const ByteOrderMark = "\ufeff"

func (c *Check) line(name string, l index.Line, isMarker bool) {
	place := fmt.Sprintf("%s:%d", name, l.Number)
	switch {
	case l.IsRow:
		c.addRow(place, l)
	case store.LooksLikeRow(l.Text):
		c.fault(place, remedyRepair, "looks like a row, but is none: %.80q", l.Text)
	case l.Number == 1 && strings.HasPrefix(l.Text, ByteOrderMark):
		c.warn(place, remedyRepair, "begins with a byte-order mark: %.80q", l.Text)
	case isMarker:
		c.warn(place, remedyRepair, "is a merge-conflict marker: %.80q", l.Text)
	case !l.IsFurniture():
		c.warn(place, "", "is not part of the table and is ignored: %.80q", l.Text)
	}
}

// A Conflict finds the markers of merge conflicts in the lines of a file. The one between the sides can be
// anything else outside of a conflict, such as the line under a heading.
type Conflict struct {
	open bool // the side above has begun
}

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

func (c *Check) addRow(place string, l index.Line) {
	if l.Row.String() != l.Text {
		c.warn(place, remedyRepair, "is spaced otherwise than the store writes rows")
	}
	first, again := c.Rows[l.Row.ID]
	switch {
	case !again:
		c.Rows[l.Row.ID] = &listedRow{l.Row, place}
		c.order = append(c.order, l.Row.ID)
	case first.File != l.Row.File || !store.SameHandoff(first.Row, l.Row):
		c.fault(place, remedyRepair, "lists %s again, otherwise than %s", l.Row.ID, first.place)
	default:
		c.warn(place, remedyRepair, "lists %s again, as %s does", l.Row.ID, first.place)
		for _, m := range l.Row.Marks() {
			first.Row = first.WithMark(m)
		}
	}
}
