package store

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// A collector gathers the chosen rows of all index files, each id once.
type collector struct {
	choose  func(index.Row) bool
	skip    func(line []byte) bool // a row that choose would not take, told from its text; nil for never
	at      map[string]int         // id → its place among found
	found   []index.Row
	passed  bool // some rows were not chosen
	foreign int  // lines that are neither rows nor part of the table
	first   string
}

func newCollector(choose func(index.Row) bool) *collector {
	return &collector{choose: choose, at: make(map[string]int)}
}

// Scan returns the chosen entries, archives before INDEX.md. Files are read the other way round: a
// rotation that happens meanwhile then shows rows twice, never not at all.
func (s *Store) Scan(d *durable.Dir, choose func(index.Row) bool, skip func([]byte) bool) ([]index.Row, error) {
	c := newCollector(choose)
	c.skip = skip
	newest := 0
	w := indexWalk{dir: d, line: c.line, end: func(name string, lost bool) {
		switch {
		case !lost:
		case name != layout.Index:
			s.Opt.Lost(fault.New(fault.ErrIntegrity, "run `handoff doctor`", "%s is missing or was emptied; its handoffs are not shown", fault.Own(name)))
		case Dirs{Store: s, Dir: d}.HasLostIndex() != nil:
			s.Opt.Lost(ErrIndexMissing)
		}
		if name == layout.Index {
			newest = len(c.found)
		}
	}}
	if err := w.walk(); err != nil {
		return nil, err
	}
	if c.foreign > 0 {
		s.Opt.Warn(ignored(c.foreign, c.first))
	}
	if err := c.join(d); err != nil {
		return nil, err
	}
	return c.result(newest), nil
}

func ignored(lines int, first string) string {
	if lines == 1 {
		return "1 line of the index is no row and was ignored: " + first + "; `handoff doctor` shows it"
	}
	return fmt.Sprintf("%d lines of the index are no rows and were ignored, the first at %s; `handoff doctor` lists them", lines, first)
}

func (c *collector) line(name string, number int, line []byte) {
	if c.skip != nil && c.skip(line) {
		c.passed = true
		return
	}
	l := index.Line{Text: string(line)}
	if l.Row, l.IsRow = index.ParseRow(l.Text); l.IsRow {
		c.row(l.Row)
	} else if !l.IsFurniture() {
		if c.foreign++; c.foreign == 1 {
			c.first = fmt.Sprintf("%s:%d", name, number)
		}
	}
}

func (c *collector) row(row index.Row) {
	at, again := c.at[row.ID]
	switch {
	case again:
		c.found[at] = joined(c.found[at], row)
	case c.choose(row):
		c.at[row.ID] = len(c.found)
		if len(c.found) == cap(c.found) {
			c.found = slices.Grow(c.found, max(64, len(c.found))) // append alone would copy large stores often
		}
		c.found = append(c.found, row)
	default:
		c.passed = true
	}
}

// joined is the first row of an id with the marks of another: what was read anywhere is read.
func joined(first, other index.Row) index.Row {
	for _, m := range other.Marks() {
		first = first.WithMark(m)
	}
	return first
}

// join looks for rows of the chosen ids that were not chosen themselves: the first of an id stands, with
// the marks of all.
func (c *collector) join(d *durable.Dir) error {
	if !c.passed || len(c.found) == 0 {
		return nil
	}
	first := make(map[string]index.Row)
	w := indexWalk{dir: d, line: func(_ string, _ int, line []byte) {
		if _, chosen := c.at[string(index.RowID(line))]; !chosen {
			return
		}
		if row, ok := index.ParseRow(string(line)); ok {
			if old, again := first[row.ID]; again {
				row = joined(old, row)
			}
			first[row.ID] = row
		}
	}}
	err := w.walk()
	for id, row := range first {
		c.found[c.at[id]] = row
	}
	return err
}

// result puts the entries of INDEX.md, which were read first, last. What duplicates have changed so that
// it is no longer chosen is left out.
func (c *collector) result(newest int) []index.Row {
	ordered := append(slices.Clone(c.found[newest:]), c.found[:newest]...)
	return slices.DeleteFunc(ordered, func(e index.Row) bool { return !c.choose(e) })
}

// An indexWalk goes through the lines of INDEX.md and of every archive, oldest first. It holds one piece of a
// file at a time, so that its cost does not grow with the store.
type indexWalk struct {
	dir  *durable.Dir
	line func(name string, number int, line []byte) // gets each line, without its newline; the bytes are good until it returns
	end  func(name string, lost bool)               // is called after each file, also for one that has to be there and is lost; may be nil
	buf  []byte
}

const (
	indexPiece    = 128 << 10
	overlongShown = 64 // bytes, fewer than a row has
)

func (w *indexWalk) walk() error {
	linked, err := w.newest()
	for n := 1; err == nil; {
		name, table := layout.Archive(n), false
		var there bool
		there, err = w.file(name, func(name string, number int, line []byte) {
			table = table || index.HasTable(line)
			w.line(name, number, line)
		})
		if n = index.NextArchive(linked, n, there); n == 0 {
			return err
		}
		if err == nil && w.end != nil {
			w.end(name, !table)
		}
	}
	return err
}

// newest reads INDEX.md and returns the archives that it links above its first row.
func (w *indexWalk) newest() (linked []string, err error) {
	rows := false
	_, err = w.file(layout.Index, func(name string, number int, line []byte) {
		if !rows {
			if archive := index.LinkedArchive(line); archive != "" {
				linked = append(linked, archive)
			} else {
				_, rows = index.ParseRow(string(line))
			}
		}
		w.line(name, number, line)
	})
	if err == nil && w.end != nil {
		w.end(layout.Index, !rows && len(linked) == 0)
	}
	return linked, err
}

// file calls line with each line of an index file, and reports whether the file is there.
func (w *indexWalk) file(name string, line func(string, int, []byte)) (there bool, err error) {
	f, err := openIndex(w.dir, name)
	if err != nil || f == nil {
		return false, err
	}
	defer f.Close()
	return true, w.lines(f, name, line)
}

// lines reads f piece by piece. A line that does not fit makes the pieces larger; of one that is longer than any row, line
// gets the beginning.
func (w *indexWalk) lines(f *os.File, name string, line func(string, int, []byte)) error {
	if w.buf == nil {
		w.buf = make([]byte, indexPiece)
	}
	number, read, have := 0, int64(0), 0
	overlong := false // what was read last is within such a line
	for {
		n, err := f.Read(w.buf[have:])
		have, read = have+n, read+int64(n)
		rest := w.buf[:have]
		for {
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				break
			}
			if !overlong {
				number++
				line(name, number, rest[:i])
			}
			overlong = false
			rest = rest[i+1:]
		}
		switch {
		case err == io.EOF:
			if len(rest) > 0 && !overlong {
				line(name, number+1, rest)
			}
			return nil
		case err != nil:
			return err
		case read > layout.MaxIndex:
			return tooLarge(f)
		case overlong:
			rest = nil
		case len(rest) >= layout.MaxLine:
			number++
			line(name, number, rest[:overlongShown])
			rest, overlong = nil, true
		}
		if have = copy(w.buf, rest); have == len(w.buf) {
			w.buf = append(w.buf, make([]byte, len(w.buf))...)
		}
	}
}
