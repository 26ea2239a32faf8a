package store

import (
	"bytes"
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A Choice is of rows.
type Choice struct {
	Is     func(index.Row) bool      // is asked while the row is good: it may share memory with what is read next
	IsNot  func(line []byte) bool    // tells from its text that a row is none of them; nil cannot
	Skip   func(archive string) bool // tells that no row of an archive is one of them; nil cannot
	ByID   bool                      // all rows of an id are chosen, or none
	Newest int                       // how many are wanted: the newest by ts_utc, of equal times the later rows; 0 is all
	Alone  bool                      // the others are not counted
}

// Scan returns the chosen entries, archives before INDEX.md, and of those that are not among the
// newest how many there are for each recipient. Files are read the other way round: a rotation that
// happens meanwhile then shows rows twice, never not at all.
func (s *Store) Scan(d *disk.Dir, choice Choice) (rows []index.Row, others map[string]int, err error) {
	c := newCollector(choice)
	w := indexWalk{dir: d, skip: choice.Skip, line: c.line, end: func(name string, lost bool) {
		switch {
		case !lost:
		case name != disk.IndexFile:
			s.Opt.Lost(fault.New(fault.ErrIntegrity, "run `handoff doctor`", "%s is missing or was emptied; its handoffs are not shown", fault.Own(name)))
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
		s.Opt.Warn("read_by names somebody without a time, which is not a read mark, at " + c.typed.first + more(c.typed) + "; `handoff mark-read` makes one")
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

// ignored is the one warning about all lines that are no rows.
func ignored(p places) string {
	if p.n == 1 {
		return "1 line of the index is not a row and was ignored: " + p.first + "; `handoff doctor` shows it"
	}
	return fmt.Sprintf("%d lines of the index are not rows and were ignored, the first at %s; `handoff doctor` lists them", p.n, p.first)
}

// more says that there are other places than the first.
func more(p places) string {
	if p.n == 1 {
		return ""
	}
	return fmt.Sprintf(" and in %d other rows", p.n-1)
}

// An indexWalk goes through the lines of INDEX.md and of every archive, oldest first. It holds one piece of a
// file at a time, so that its cost does not grow with the store.
type indexWalk struct {
	dir  *disk.Dir
	skip func(archive string) bool                  // tells that it need not be read; may be nil
	line func(name string, number int, line []byte) // gets each line, without its newline; the bytes are good until it returns
	end  func(name string, lost bool)               // is called after each file, also for one that has to be there and is lost; may be nil
	buf  []byte
}

const (
	indexPiece    = 128 << 10
	overlongShown = 64 // bytes, fewer than a row has
)

// walk reads INDEX.md first and then each archive that it links or that is there, so that a row which a
// rotation moves meanwhile is seen twice rather than never.
func (w *indexWalk) walk() error {
	linked, err := w.newest()
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

// newest reads INDEX.md and returns the archives that it links above its first row.
func (w *indexWalk) newest() (linked []string, err error) {
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

// file calls line with each line of an index file, if it is there.
func (w *indexWalk) file(name string, line func(string, int, []byte)) error {
	f, err := openIndex(w.dir, name)
	if err != nil || f == nil {
		return err
	}
	defer f.Close()
	return w.lines(f, name, line)
}

// lines reads f piece by piece. A line that does not fit makes the pieces larger; of one that is
// longer than any row, line gets the beginning.
func (w *indexWalk) lines(f *disk.Text, name string, line func(string, int, []byte)) error {
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
