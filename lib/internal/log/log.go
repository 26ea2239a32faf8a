package log

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Log is a log that is open for appending, under the lock of its store.
type Log struct {
	file *os.File
	end  int64 // where the next change begins
	head Point
}

// Head returns the point after the last line of the last change.
func (l *Log) Head() Point { return l.head }

// Open makes a log ready for appending. pin is the point after the last change of this user, or the zero Point.
//
// What is torn at its end is cut off. If the log does not end at the pin, its last change is written again and synced.
// If that fails, nothing is cut, and the error is outside the contract. A log that is damaged, or that does not have
// the pinned line any more, is fault.ErrIntegrity. Open does not close the file.
func Open(file *os.File, pin Point) (*Log, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	t, err := tailOf(file, info.Size(), pin)
	if err != nil {
		return nil, err
	}
	l := &Log{file: file, end: t.end, head: t.head}
	if t.end < info.Size() {
		if err := file.Truncate(t.end); err != nil {
			return nil, err
		}
	}
	if t.head == pin || t.head == Start {
		return l, nil
	}
	_, err = file.WriteAt(t.last, t.lastAt)
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return nil, fmt.Errorf("the last change of %s may not be on the disk: %w", FileName, err)
	}
	return l, nil
}

// A tail is the end of a log.
type tail struct {
	head   Point
	end    int64  // after the last change and the markers behind it
	last   []byte // the last change
	lastAt int64
}

// tailOf finds the end of a log. It reads what follows the pin. Without a pin it reads as much of the end as holds a
// complete change.
func tailOf(r io.ReaderAt, size int64, pin Point) (t tail, err error) {
	if pin != (Point{}) {
		c, err := cursorAt(r, size, pin)
		if errors.Is(err, ErrOther) {
			return t, fault.Integrity("restore its newest copy, or run `handoff doctor --repair`",
				"%s has not the last line that you left there", FileName)
		}
		if err != nil {
			return t, err
		}
		t, _, err = c.tail(r, pin.Offset, size)
		return t, err
	}
	for window := int64(64 << 10); ; window *= 8 {
		from := max(0, size-window)
		c := &cursor{anywhere: from > 0}
		t, found, err := c.tail(r, from, size)
		if err != nil || found || from == 0 {
			return t, err
		}
	}
}

// tail follows the chain to the end of the log, from an offset. If the cursor is anywhere, it begins with the first
// complete change; found reports whether there is one.
func (c *cursor) tail(r io.ReaderAt, from, size int64) (t tail, found bool, err error) {
	text, err := readAt(r, from, size)
	if err != nil {
		return t, false, err
	}
	used := 0
	for c.anywhere && used < len(text) { // the first bytes are the end of a line, or of a change
		rest := bytes.IndexByte(text[used:], '\n') + 1
		if rest == 0 {
			return t, false, nil
		}
		used += rest
		if _, _, ok := (&cursor{anywhere: true}).change(text[used:]); ok {
			break
		}
	}
	last := used
	for {
		_, length, ok := c.change(text[used:])
		if !ok {
			break
		}
		last, used, found = used, used+length, true
	}
	good := used
	for { // markers behind it stay
		stop := bytes.IndexByte(text[used:], '\n')
		if stop < 0 || !isMarker(text[used:used+stop]) {
			break
		}
		used += stop + 1
	}
	t = tail{c.point(from + int64(good)), from + int64(used), text[last:good], from + int64(last)}
	if hasChange(text[used:]) {
		return t, found, &Damage{t.head}
	}
	return t, found, nil
}

// Append appends a change and syncs it. If it fails, the change is taken back: the error is outside the contract, and
// nothing is stored.
func (l *Log) Append(now time.Time, events []Pending) error {
	var text []byte
	hash := l.head.Hash
	for i, e := range events {
		if e.Payload.Batch = nil; len(events) > 1 {
			e.Payload.Batch = []int{i + 1, len(events)}
		}
		one, next, err := line(hash, e, now)
		if err != nil {
			return err
		}
		text, hash = append(text, one...), next
	}
	if len(text) > MaxChange {
		return fault.Invalid("store fewer documents at once", "the change has %d bytes, more than %d", len(text),
			MaxChange)
	}
	_, err := l.file.WriteAt(text, l.end)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(err, l.file.Truncate(l.end))
	}
	l.end += int64(len(text))
	l.head = Point{l.end, hash}
	return nil
}
