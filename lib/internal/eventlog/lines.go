package eventlog

import (
	"bytes"
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A Line is one line of a log, without its newline.
type Line struct {
	Number int // 1-based
	Offset int64
	Text   []byte
	long   bool // is longer than an event may be; Text is its end
}

// End is the offset behind the line and its newline.
func (l Line) End() int64 { return l.Offset + int64(len(l.Text)) + 1 }

// place is where a line stands, for messages.
func (l Line) place() string { return Place(l.Number) }

// Place names a line of the audit log.
func Place(line int) string { return fmt.Sprintf("%s:%d", disk.LogFile, line) }

// piece is how much of a log is read at once.
const piece = 1 << 20

// eachLines calls do with the lines of a log that are no markers, some at a time, until it returns false, and
// returns how many lines there are. Their texts are good until do returns. What is read is no more than there is.
func eachLines(r *io.SectionReader, do func([]Line) bool) (count int, err error) {
	buf, lines := make([]byte, 0, min(piece, r.Size()+1)), []Line(nil)
	next, dropped := Line{Number: 1}, int64(0) // what is read, and how much of its beginning is not kept
	for {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		atEnd := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !atEnd {
			return 0, err
		}
		buf = buf[:len(buf)+n]
		rest := buf
		for {
			text, after, whole := bytes.Cut(rest, []byte("\n"))
			next.Text = text
			if !whole && (!atEnd || len(text) == 0) {
				break
			}
			if !isMarker(text) || next.long {
				lines = append(lines, next)
			}
			next, dropped = Line{Number: next.Number + 1, Offset: next.Offset + dropped + int64(len(text)) + 1}, 0
			if rest = after; !whole {
				break
			}
		}
		if !do(lines) || atEnd {
			return next.Number - 1, nil
		}
		lines = lines[:0]
		switch {
		case len(rest) > disk.MaxEvent:
			next.long, dropped, rest = true, dropped+int64(len(rest)), nil
		case 2*len(rest) > cap(buf):
			buf = make([]byte, 0, 2*cap(buf))
		}
		buf = append(buf[:0], rest...)
	}
}
