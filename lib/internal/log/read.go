package log

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Point is a position after a line: the offset in the file, and the hash of the line.
type Point struct {
	Offset int64
	Hash   string
}

// Start is the point before the first line. The zero Point is no point.
var Start = Point{0, Genesis}

// String returns the point in the form that ParsePoint reads: OFFSET:HASH.
func (p Point) String() string { return fmt.Sprintf("%d:%s", p.Offset, p.Hash) }

// ParsePoint is the inverse of String.
func ParsePoint(text string) (p Point, ok bool) {
	n, err := fmt.Sscanf(text, "%d:%s", &p.Offset, &p.Hash)
	return p, n == 2 && err == nil && p.Offset >= 0
}

// MaxChange is the maximum length of a change in bytes.
const MaxChange = 64 << 20

// ErrOther is the error for a point that is not one of the log.
var ErrOther = errors.New("the log has another line there")

// A Damage is the error for a log with a complete change behind bytes that belong to none, or with more such bytes at
// its end than a change has. It is fault.ErrIntegrity.
type Damage struct{ At Point } // the point after the last change of the good beginning

func (d *Damage) Error() string {
	return fmt.Sprintf("%s is damaged after byte %d: what follows does not belong there", FileName, d.At.Offset)
}

// Hint names the command that repairs the log.
func (d *Damage) Hint() string { return "run `handoff verify --repair`" }

// Unwrap returns fault.ErrIntegrity.
func (d *Damage) Unwrap() error { return fault.ErrIntegrity }

// A cursor follows the chain.
type cursor struct {
	last     []byte // the line that the next one must name; nil is the beginning of the log
	anywhere bool   // the line is not known
}

// change returns the complete change at the beginning of text and its length. ok reports whether text begins with one.
func (c *cursor) change(text []byte) (events []Event, length int, ok bool) {
	next, total := *c, 0
	for {
		stop := bytes.IndexByte(text[length:], '\n')
		if stop < 0 {
			return nil, 0, false
		}
		one := text[length : length+stop]
		length += stop + 1
		if isMarker(one) {
			continue
		}
		e, isEvent := parse(one)
		if !isEvent || !next.anywhere && !isHash(e.prev, next.last) {
			return nil, 0, false
		}
		i, n := e.part()
		if total == 0 {
			total = n
		}
		events = append(events, e)
		if n != total || i != len(events) {
			return nil, 0, false
		}
		next = cursor{last: one}
		if i == n {
			*c = next
			return events, length, true
		}
	}
}

// point returns the point after the last line.
func (c *cursor) point(offset int64) Point {
	if c.last == nil {
		return Start
	}
	return Point{offset, hashLine(c.last)}
}

// cursorAt returns the cursor for a point. It fails with ErrOther if the log has no such line.
func cursorAt(r io.ReaderAt, size int64, p Point) (*cursor, error) {
	if p == Start {
		return &cursor{}, nil
	}
	if p.Offset > size || p.Offset <= 0 {
		return nil, ErrOther
	}
	for window := int64(4 << 10); ; window *= 8 {
		from := max(0, p.Offset-window)
		text, err := readAt(r, from, p.Offset)
		if err != nil {
			return nil, err
		}
		if text[len(text)-1] != '\n' {
			return nil, ErrOther
		}
		begin := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
		if begin == 0 && from > 0 && window < MaxChange {
			continue
		}
		if one := text[begin : len(text)-1]; isHash(p.Hash, one) {
			return &cursor{last: one}, nil
		}
		return nil, ErrOther
	}
}

// Has reports whether a log of a size has the line that ends at a point.
func Has(r io.ReaderAt, size int64, p Point) bool {
	_, err := cursorAt(r, size, p)
	return err == nil
}

// readAt returns the bytes from one offset to another. A file that is shorter meanwhile gives fewer, followed by zeros.
func readAt(r io.ReaderAt, from, to int64) ([]byte, error) {
	text := make([]byte, to-from)
	if _, err := r.ReadAt(text, from); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return text, nil
}

const piece = 4 << 20 // what is read at once

// Read calls do with the complete changes after a point, in their order, and returns the point after the last one. The
// size is that of the log when it was opened: what others append meanwhile is not read, and what is torn is left out.
// Events are valid as long as they are kept. Read fails with ErrOther if the log has no line at the point, and with
// *Damage after it has called do for all changes of the good beginning.
func Read(r io.ReaderAt, size int64, from Point, do func([]Event)) (Point, error) {
	c, err := cursorAt(r, size, from)
	if err != nil {
		return from, err
	}
	end, _, err := c.walk(r, from.Offset, size, func(_ int64, change []Event) { do(change) })
	return c.point(end), err
}

// walk follows the chain from an offset, and calls do with the offset of each complete change and its events. It
// returns the offset after the last one, and the bytes behind it.
func (c *cursor) walk(r io.ReaderAt, from, size int64, do func(int64, []Event)) (end int64, rest []byte, err error) {
	wanted := int64(piece)
	for end = from; end < size; {
		if rest, err = readAt(r, end, min(size, end+wanted)); err != nil {
			return end, nil, err
		}
		isLast, used := end+int64(len(rest)) == size, 0
		for {
			events, length, ok := c.change(rest[used:])
			if !ok {
				break
			}
			do(end+int64(used), events)
			used += length
		}
		end, rest = end+int64(used), rest[used:]
		switch {
		case isLast && !hasChange(rest):
			return end, rest, nil
		case isLast, used == 0 && wanted >= MaxChange: // no change is as long as what follows
			return end, nil, &Damage{c.point(end)}
		case used == 0:
			wanted *= 4
		default:
			wanted = piece
		}
	}
	return end, nil, nil
}

// hasChange reports whether a complete change stands anywhere in text, whatever stands before it.
func hasChange(text []byte) bool {
	for len(text) > 0 {
		if _, _, ok := (&cursor{anywhere: true}).change(text); ok {
			return true
		}
		rest := bytes.IndexByte(text, '\n') + 1
		if rest == 0 {
			break
		}
		text = text[rest:]
	}
	return false
}
