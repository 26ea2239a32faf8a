package store

import (
	"bytes"
	"fmt"
	"io"

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
	w := indexWalk{dir: d, skip: choice.Skip, line: c.line, end: func(name string, lost bool) {
		switch {
		case !lost:
		case name != disk.IndexFile:
			s.Opt.Lost(fault.New(fault.ErrIntegrity, "run `handoff doctor`",
				"%s is missing or empty; its handoffs are not shown", fault.Own(name)))
		case Dirs{Store: s, Dir: d}.HasLostIndex() != nil:
			s.Opt.Lost(ErrIndexMissing)
		}
		c.file++
	}}
	if err := w.walk(); err != nil {
		return nil, nil, err
	}
	if c.foreign.n > 0 {
		s.Opt.Warn(ignored(c.foreign))
	}
	if c.typed.n > 0 {
		s.Opt.Warn("read_by has a name without a time, which is not a read mark, at " + c.typed.first + more(c.typed) +
			"; `handoff mark-read` adds one")
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

// more returns a note about the places after the first.
func more(p places) string {
	if p.n == 1 {
		return ""
	}
	return fmt.Sprintf(" and in %d other rows", p.n-1)
}

// An indexWalk visits the lines of INDEX.md and then of every archive, oldest first. It holds one piece of a
// file at a time, so its memory does not grow with the store.
type indexWalk struct {
	dir  *disk.Dir
	skip func(archive string) bool // optional; reports that an archive need not be read
	// gets each line without its newline; the bytes are valid only during the call
	line func(name string, number int, line []byte)
	// optional; called after each file; lost means that a required file is missing or has no table
	end func(name string, lost bool)
	buf []byte
}

const (
	indexPiece    = 128 << 10
	overlongShown = 64 // bytes; shorter than any row
)

// walk reads INDEX.md first, and then each archive that INDEX.md links or the directory has. A row that a
// rotation moves meanwhile is seen twice rather than never.
func (w *indexWalk) walk() error {
	linked, err := w.indexFile()
	if err != nil {
		return err
	}
	return index.EachArchive(linked, HasIndex(w.dir), func(name string) error {
		if w.skip != nil && w.skip(name) {
			if w.end != nil {
				w.end(name, false)
			}
			return nil
		}
		table := false
		err := w.file(name, func(name string, number int, line []byte) {
			table = table || index.HasTable(line)
			w.line(name, number, line)
		})
		if err == nil && w.end != nil {
			w.end(name, !table)
		}
		return err
	})
}

// indexFile reads INDEX.md and returns the archives that it links above its first row.
func (w *indexWalk) indexFile() (linked []string, err error) {
	rows := false
	err = w.file(disk.IndexFile, func(name string, number int, line []byte) {
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
		w.end(disk.IndexFile, !rows && len(linked) == 0)
	}
	return linked, err
}

// file calls line with each line of an index file. It does nothing if the file does not exist.
func (w *indexWalk) file(name string, line func(string, int, []byte)) error {
	f, err := openIndex(w.dir, name)
	if err != nil || f == nil {
		return err
	}
	defer f.Close()
	return w.lines(f, name, line)
}

// lines reads f piece by piece. The buffer grows if a line does not fit. If a line is longer than any row,
// lines passes only its beginning.
func (w *indexWalk) lines(f *disk.Text, name string, line func(string, int, []byte)) error {
	if w.buf == nil {
		w.buf = make([]byte, indexPiece)
	}
	number, read, have := 0, int64(0), 0
	overlong := false // the last piece ended within such a line
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
		case read > disk.MaxIndex:
			return tooLarge(f)
		case overlong:
			rest = nil
		case len(rest) >= disk.MaxLine:
			number++
			line(name, number, rest[:overlongShown])
			rest, overlong = nil, true
		}
		if have = copy(w.buf, rest); have == len(w.buf) {
			w.buf = append(w.buf, make([]byte, len(w.buf))...)
		}
	}
}
