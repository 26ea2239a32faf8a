package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A collector gathers the chosen rows of all index files, each id once. If only the newest rows are wanted,
// it keeps those and counts the others.
type collector struct {
	Choice
	file   int              // 0 is INDEX.md, which is read first; the archives follow
	at     map[form.Key]int // the position of a row in found, or dropped
	found  []found
	oldest *found         // the oldest row that is kept, set once a row was dropped
	others map[string]int // the number of dropped rows of each recipient

	passed  bool   // some rows were not chosen
	foreign places // lines that are neither rows nor part of the table
}

// places counts places in index files and keeps the first.
type places struct {
	n     int
	first string
}

func (p *places) add(name string, number int) {
	if p.n++; p.n == 1 {
		p.first = fmt.Sprintf("%s:%d", name, number)
	}
}

// A found is a row with its file and line.
type found struct {
	index.Row
	file, line int
}

const dropped = -1

// newCollector returns a collector of the rows that c chooses.
func newCollector(c Choice) *collector {
	return &collector{Choice: c, at: make(map[form.Key]int), others: make(map[string]int)}
}

// line adds a line of an index file. It does not parse a line if the choice can reject its text. It counts
// the lines that are neither rows nor part of the table, so that one warning covers them all.
func (c *collector) line(name string, number int, line []byte) {
	if c.IsNot != nil && c.IsNot(line) || c.Alone && c.isOlder(line) {
		c.passed = true
		return
	}
	l := index.Line{Text: string(line)}
	if l.Row, l.IsRow = index.ParseRow(l.Text); l.IsRow {
		c.row(found{l.Row, c.file, number})
	} else if !l.IsFurniture() {
		c.foreign.add(name, number)
	}
}

// isOlder reports whether a row is older than the rows that are kept. It reads the time from the text of the
// row.
func (c *collector) isOlder(line []byte) bool {
	return c.oldest != nil && index.IsRowLike(line) &&
		index.CompareTimes(AsString(index.Cell(line, 5)), c.oldest.Time) < 0
}

// row adds a row. If an archive has the same handoff, the two rows become one. If there are enough newer
// rows, an older row is counted and dropped.
func (c *collector) row(row found) {
	key, _ := form.KeyOf(row.ID) // every row has an id
	at, again := c.at[key]
	switch {
	case again && at != dropped:
		c.found[at].Row = c.found[at].WithMark(row.Marks()...)
		c.passed = c.passed || !c.Is(row.Row) // a row may be dropped before join compares both
	case again || !c.Is(row.Row):
		c.passed = true
	case c.oldest != nil && row.compare(*c.oldest) < 0:
		c.drop(row)
	default:
		c.at[key] = len(c.found)
		if len(c.found) == cap(c.found) {
			c.found = slices.Grow(c.found, max(64, len(c.found))) // append alone would copy large stores often
		}
		c.found = append(c.found, row)
		if c.Newest > 0 && len(c.found) == 2*c.Newest {
			c.dropOld()
		}
	}
}

// compare orders rows by time, then by their position in the index.
func (f found) compare(other found) int {
	const last = 1 << 30 // INDEX.md comes after the archives
	return cmp.Or(index.CompareTimes(f.Time, other.Time), (f.file+last-1)%last-(other.file+last-1)%last,
		f.line-other.line)
}

// drop counts a chosen row for its recipient and does not keep it.
func (c *collector) drop(row found) {
	key, _ := form.KeyOf(row.ID)
	c.at[key] = dropped
	c.others[strings.Clone(row.To)]++
}

// dropOld keeps the newest rows, in their order.
func (c *collector) dropOld() {
	byTime := slices.Clone(c.found)
	slices.SortFunc(byTime, found.compare)
	c.oldest = &byTime[len(byTime)-c.Newest]
	kept := c.found[:0]
	for _, row := range c.found {
		if row.compare(*c.oldest) < 0 {
			c.drop(row)
			continue
		}
		key, _ := form.KeyOf(row.ID)
		c.at[key] = len(kept)
		kept = append(kept, row)
	}
	clear(c.found[len(kept):])
	c.found = kept
}

// join adds the marks of rows that have a chosen id but were not chosen themselves. The first row of an id is
// kept.
func (c *collector) join(d *disk.Dir) error {
	if c.ByID || !c.passed || len(c.found) == 0 {
		return nil
	}
	seen := make([]bool, len(c.found))
	return eachLine(d, nil, func(_ string, _ int, line []byte) {
		key, _ := form.KeyOf(AsString(index.RowID(line)))
		at, chosen := c.at[key]
		if !chosen {
			return
		}
		row, ok := index.ParseRow(AsString(line))
		switch {
		case !ok:
		case at == dropped:
			if !c.Is(row) && c.others[row.To] > 0 {
				delete(c.at, key)
				c.others[strings.Clone(row.To)]-- // the map stores its key
			}
		case seen[at]:
			c.found[at].Row = c.found[at].WithMark(row.Marks()...)
		default:
			if seen[at] = true; row != c.found[at].Row {
				c.found[at].Row, _ = index.ParseRow(string(line)) // this copy outlives the line
			}
		}
	}, func(string, bool) {})
}

// result returns the rows, those of INDEX.md last. It omits rows that are no longer chosen with the marks of
// their duplicates.
func (c *collector) result() []index.Row {
	rows := make([]index.Row, 0, len(c.found))
	archives := slices.IndexFunc(c.found, func(f found) bool { return f.file > 0 })
	if archives < 0 {
		archives = len(c.found)
	}
	for _, part := range [][]found{c.found[archives:], c.found[:archives]} {
		for _, f := range part {
			if c.Is(f.Row) {
				rows = append(rows, f.Row)
			}
		}
	}
	return rows
}
