package handoff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// readIndexes reads the rows of all index files and reports every line that should not be there.
func (c *check) readIndexes() {
	for _, f := range c.indexes {
		switch {
		case c.isOdd(f.name):
		case f.name == index.Name:
			if index.ListsNothing(f.text) {
				c.checkNoIndex()
			}
		case f.text == nil:
			c.fault(f.name, remedyRepair, "does not exist, although %s links it or a later one", index.Name)
		case !index.HasTable(f.text):
			c.fault(f.name, remedyRepair, "was emptied: it has no table any more")
		}
		c.readLines(f)
	}
	for _, name := range c.farLinks() {
		c.fault(index.Name, remedyRepair, "links %s, with too many archives missing before it: no reader comes to it", name)
	}
}

// farLinks returns the archives that INDEX.md links and that no reader comes to.
func (c *check) farLinks() []string {
	return slices.DeleteFunc(index.Archives(string(c.indexes[0].text)), func(name string) bool {
		return slices.ContainsFunc(c.indexes, func(f indexText) bool { return f.name == name })
	})
}

// checkNoIndex is for an INDEX.md that lists nothing. It looks again: the first handoffs may have come since the
// snapshot.
func (c *check) checkNoIndex() {
	names, err := c.dir.Names(index.IsFile)
	now := newCheck(c.Store)
	now.dir, now.state = c.dir, c.state
	if err == nil && len(names) > 0 {
		err = now.readSnapshot()
	}
	names = slices.DeleteFunc(names, func(name string) bool { return publishes(now.intent, name) })
	lost := false
	if err == nil && len(names) > 0 && index.ListsNothing(now.indexes[0].text) {
		lost, err = c.hasLost(c.dir, now.indexes[0].text)
	}
	if err != nil || lost {
		c.fault(index.Name, remedyRebuild, "is missing or empty, although there are handoffs")
	}
}

func (c *check) readLines(f indexText) {
	if lacks := index.Lacks(strings.TrimPrefix(string(f.text), byteOrderMark)); len(f.text) > 0 && lacks != "" {
		c.warn(f.name, remedyRepair, "has no %s above its rows", lacks)
	}
	blank, reported, afterRow := 0, false, false
	var sides conflict
	for l := range index.Lines(string(f.text)) {
		switch {
		case l.IsRow:
			if blank > 0 && !reported {
				c.warn(fmt.Sprintf("%s:%d", f.name, blank), remedyRepair, "is a blank line between rows")
				reported = true
			}
			blank, afterRow = 0, true
		case afterRow && blank == 0 && strings.TrimSpace(l.Text) == "":
			blank = l.Number
		}
		c.line(f.name, l, sides.isMarker(l.Text))
	}
}

// byteOrderMark is what editors of other systems put before a text.
const byteOrderMark = "\ufeff"

func (c *check) line(name string, l index.Line, isMarker bool) {
	place := fmt.Sprintf("%s:%d", name, l.Number)
	switch {
	case l.IsRow:
		c.addRow(place, l)
	case looksLikeRow(l.Text):
		c.fault(place, remedyRepair, "looks like a row, but is none: %q", l.Text)
	case l.Number == 1 && strings.HasPrefix(l.Text, byteOrderMark):
		c.warn(place, remedyRepair, "begins with a byte-order mark: %q", l.Text)
	case isMarker:
		c.warn(place, remedyRepair, "is a merge-conflict marker: %q", l.Text)
	case !l.IsFurniture():
		c.warn(place, "", "is not part of the table and is ignored: %q", l.Text)
	}
}

// looksLikeRow reports whether a line that is no row was meant as one: it has as many cells and holds an id, or a
// stored file in a cell, or it is the beginning of a row. Whatever else has an id in it is a note.
func looksLikeRow(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "| sha256:") && !strings.HasSuffix(line, "|") {
		return true
	}
	const pipes = 8 - 1 // of a row, one of them damaged
	if strings.Count(line, "|") < pipes {
		return false
	}
	if strings.Contains(line, "sha256:") {
		return true
	}
	for cell := range strings.SplitSeq(line, "|") {
		if index.IsFile(strings.TrimSpace(cell)) {
			return true
		}
	}
	return false
}

// A conflict finds the markers of merge conflicts in the lines of a file. The one between the sides can be
// anything else outside of a conflict, such as the line under a heading.
type conflict struct {
	open bool // the side above has begun
}

func (c *conflict) isMarker(line string) bool {
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

func (c *check) addRow(place string, l index.Line) {
	if l.Row.String() != l.Text {
		c.warn(place, remedyRepair, "is spaced otherwise than the store writes rows")
	}
	first, again := c.rows[l.Row.ID]
	switch {
	case !again:
		c.rows[l.Row.ID] = &listedRow{l.Row, place}
		c.order = append(c.order, l.Row.ID)
	case first.File != l.Row.File || !sameHandoff(first.Row, l.Row):
		c.fault(place, remedyRepair, "lists %s again, otherwise than %s", l.Row.ID, first.place)
	default:
		c.warn(place, remedyRepair, "lists %s again, as %s does", l.Row.ID, first.place)
		for _, m := range l.Row.Marks() {
			first.Row = first.WithMark(m)
		}
	}
}

// sameHandoff reports whether two rows agree in what comes from the document.
func sameHandoff(a, b index.Row) bool {
	return a.ID == b.ID && a.From == b.From && a.To == b.To && a.Topic == b.Topic && a.Time == b.Time
}
