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
	long   bool // the line is longer than an event can be; Text is its end
}

// End returns the offset after the line and its newline.
func (l Line) End() int64 { return l.Offset + int64(len(l.Text)) + 1 }

// place returns the file and number of the line, for messages.
func (l Line) place() string { return Place(l.Number) }

// Place returns the name of a line of the audit log.
func Place(line int) string { return fmt.Sprintf("%s:%d", disk.LogFile, line) }

// piece is the number of bytes that are read at once.
const piece = 1 << 20

// eachLines calls do with batches of lines, without markers, until do returns false. It returns the number of
// lines. The texts are valid only during the call.
func eachLines(r *io.SectionReader, do func([]Line) bool) (count int, err error) {
	buf, lines := make([]byte, 0, min(piece, r.Size()+1)), []Line(nil)
	// the line that is read, and how many bytes of its beginning were dropped
	next, dropped := Line{Number: 1}, int64(0)
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
