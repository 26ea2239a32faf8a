package store

import (
	"bytes"
	"fmt"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A Choice selects rows.
type Choice struct {
	Is    func(index.Row) bool      // reports whether a row is chosen; the row is valid only during the call
	IsNot func(line []byte) bool    // optional; reports from its text that a line is not chosen
	Skip  func(archive string) bool // optional; reports that no row of an archive is chosen
	ByID  bool                      // if one row of an id is chosen, all are
	// the number of rows wanted, newest by ts_utc, of equal times the later rows; 0 means all
	Newest int
	Alone  bool // do not count the other rows
}

// Scan returns the chosen rows, archives before INDEX.md. If choice.Newest is set, others has the number of
// the other chosen rows for each recipient. Scan reads INDEX.md first: if a rotation happens meanwhile, rows
// are seen twice, never not at all.
func (s *Store) Scan(d *disk.Dir, choice Choice) (rows []index.Row, others map[string]int, err error) {
	c := newCollector(choice)
	err = eachLine(d, choice.Skip, c.line, func(name string, isLost bool) {
		switch {
		case !isLost:
		case name != disk.IndexFile:
			s.Opt.Lost(fault.Integrity("run `handoff doctor`",
				"%s is missing or empty; its handoffs are not shown", fault.Own(name)))
		case Dirs{Store: s, Dir: d}.HasLostIndex() != nil:
			s.Opt.Lost(ErrIndexMissing)
		}
		c.file++
	})
	if err != nil {
		return nil, nil, err
	}
	if c.foreign.n > 0 {
		s.Opt.Warn(ignored(c.foreign))
	}
	if err := c.join(d); err != nil {
		return nil, nil, err
	}
	return c.result(), c.others, nil
}

// NotOf returns the IsNot of a Choice by id.
func NotOf(wanted func(id string) bool) func(line []byte) bool {
	return func(line []byte) bool {
		return index.IsRowLike(line) && !wanted(AsString(index.RowID(line)))
	}
}

// ignored returns the one warning about all lines that are not rows.
func ignored(p places) string {
	if p.n == 1 {
		return "1 line of the index is not a row and was ignored: " + p.first + "; `handoff doctor` shows it"
	}
	return fmt.Sprintf("%d lines of the index are not rows and were ignored, the first at %s; `handoff doctor` "+
		"lists them", p.n, p.first)
}

// eachLine calls line with the lines of all index files, as eachIndex visits them, and end after each file. The bytes
// of a line are valid only during the call. skip is optional; it reports that an archive need not be read.
func eachLine(d *disk.Dir, skip func(archive string) bool, line func(name string, number int, line []byte),
	end func(name string, isLost bool)) error {
	var text []byte
	isSkipped := false
	read := func(name string) (got []byte, err error) {
		if isSkipped = name != disk.IndexFile && skip != nil && skip(name); isSkipped {
			return nil, nil
		}
		if got, err = readIndex(text, d, name); name != disk.IndexFile { // the names of the archives share its memory
			text = got
		}
		return got, err
	}
	return eachIndex(d, read, func(name string, rest []byte, isLost bool) error {
		for n := 1; len(rest) > 0; n++ {
			var one []byte
			one, rest, _ = bytes.Cut(rest, []byte("\n"))
			line(name, n, one)
		}
		end(name, isLost && !isSkipped)
		return nil
	})
}
