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

// A collector gathers the chosen rows of all index files, each id once. Of those that are not among
// the newest it keeps no more than that they were chosen.
type collector struct {
	Choice
	file   int              // 0 is INDEX.md, which is read first, and then come the archives
	at     map[form.Key]int // the place of a row among found, or dropped
	found  []found
	oldest *found         // that is kept, once any was dropped
	others map[string]int // how many were dropped, by recipient

	passed  bool   // some rows were not chosen
	foreign places // of lines that are neither rows nor part of the table
	typed   places // of rows whose read_by has a name without a time
}

// places counts places in index files, and keeps the first.
type places struct {
	n     int
	first string
}

func (p *places) add(name string, number int) {
	if p.n++; p.n == 1 {
		p.first = fmt.Sprintf("%s:%d", name, number)
	}
}

// A found is a row and where it stands.
type found struct {
	index.Row
	file, line int
}

const dropped = -1

// newCollector returns a collector of the rows that are chosen.
func newCollector(c Choice) *collector {
	return &collector{Choice: c, at: make(map[form.Key]int), others: make(map[string]int)}
}

// line takes in one line of an index file. What the choice can tell from its text alone is never parsed; a
// line that is neither row nor furniture of the table is counted, so that one warning names them all.
func (c *collector) line(name string, number int, line []byte) {
	if c.IsNot != nil && c.IsNot(line) || c.Alone && c.isOlder(line) {
		c.passed = true
		return
	}
	l := index.Line{Text: string(line)}
	if l.Row, l.IsRow = index.ParseRow(l.Text); l.IsRow {
		if c.row(found{l.Row, c.file, number}); l.Row.Unmarked() != nil {
			c.typed.add(name, number)
		}
	} else if !l.IsFurniture() {
		c.foreign.add(name, number)
	}
}

// isOlder tells from the text of a row that it is not among the newest, once there are enough of them.
func (c *collector) isOlder(line []byte) bool {
	return c.oldest != nil && index.IsRowLike(line) && index.CompareTimes(AsString(index.Cell(line, 5)), c.oldest.Time) < 0
}

// row takes in a row. The same handoff may come again, from an archive: both rows are one then. Where only
// the newest are wanted and there are enough of them, an older one is counted and dropped.
func (c *collector) row(row found) {
	key, _ := form.KeyOf(row.ID) // as each row has one
	at, again := c.at[key]
	switch {
	case again && at != dropped:
		c.found[at].Row = joined(c.found[at].Row, row.Row)
		c.passed = c.passed || !c.Is(row.Row) // it may be dropped before anybody asks whether both are chosen
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

// joined is the first row of an id with the marks of another: what was read anywhere is read.
func joined(first, other index.Row) index.Row {
	for _, m := range other.Marks() {
		first = first.WithMark(m)
	}
	return first
}

// compare orders rows by time, then as they stand.
func (f found) compare(other found) int {
	const last = 1 << 30 // INDEX.md comes behind the archives
	return cmp.Or(index.CompareTimes(f.Time, other.Time), (f.file+last-1)%last-(other.file+last-1)%last, f.line-other.line)
}

// drop counts a row that was chosen and is not kept, by its recipient.
func (c *collector) drop(row found) {
	key, _ := form.KeyOf(row.ID)
	c.at[key] = dropped
	c.others[strings.Clone(row.To)]++
}

// dropOld leaves the newest of what was found, in its order.
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

// join looks for rows of the chosen ids that were not chosen themselves: the first of an id stands, with
// the marks of all.
func (c *collector) join(d *disk.Dir) error {
	if c.ByID || !c.passed || len(c.found) == 0 {
		return nil
	}
	seen := make([]bool, len(c.found))
	w := indexWalk{dir: d, line: func(_ string, _ int, line []byte) {
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
				c.others[strings.Clone(row.To)]-- // a map takes the key anew
			}
		case seen[at]:
			c.found[at].Row = joined(c.found[at].Row, row)
		default:
			if seen[at] = true; row != c.found[at].Row {
				c.found[at].Row, _ = index.ParseRow(string(line)) // which lasts
			}
		}
	}}
	return w.walk()
}

// result puts the entries of INDEX.md last. What duplicates have changed so that it is no longer
// chosen is left out.
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
