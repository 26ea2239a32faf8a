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

// Size returns the length of the log, with markers of other tools at its end.
func (l *Log) Size() int64 { return l.end }

// Open makes a log ready for appending. pin is the point after the last change of this user, or the zero Point.
//
// What is torn at its end is given to keep, and cut off. If the log does not end at the pin, its last change is written
// again and synced. If that fails, nothing is cut, and the error is outside the contract. A log that is damaged, or
// that does not have the pinned line any more, is fault.ErrIntegrity. Open does not close the file.
func Open(file *os.File, pin Point, keep func(torn []byte) error) (*Log, error) {
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
		torn, err := readAt(file, t.end, info.Size())
		if err == nil {
			err = keep(torn)
		}
		if err == nil {
			err = file.Truncate(t.end)
		}
		if err != nil {
			return nil, err
		}
	}
	if t.head == pin || t.head == Start {
		return l, nil
	}
	last, err := readAt(file, t.lastAt, t.head.Offset)
	if err == nil {
		_, err = file.WriteAt(last, t.lastAt)
	}
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
	end    int64 // after the last change and the markers behind it
	lastAt int64 // where the last change begins
}

// tailOf finds the end of a log. It reads what follows the pin, and all of it without a pin.
func tailOf(r io.ReaderAt, size int64, pin Point) (t tail, err error) {
	if pin == (Point{}) {
		pin = Start
	}
	c, err := cursorAt(r, size, pin)
	if errors.Is(err, ErrOther) {
		return t, fault.Integrity("run `handoff verify --repair`",
			"%s has not the last line that you left there", FileName)
	}
	if err != nil {
		return t, err
	}
	t.lastAt = pin.Offset
	good, rest, err := c.walk(r, pin.Offset, size, func(at int64, _ []Event) { t.lastAt = at })
	t.head, t.end = c.point(good), good
	for { // markers behind it stay
		stop := bytes.IndexByte(rest, '\n') + 1
		if stop == 0 || !isMarker(rest[:stop]) {
			return t, err
		}
		t.end, rest = t.end+int64(stop), rest[stop:]
	}
}

// Append appends a change and syncs it, and returns its events. If it fails, the change is taken back: the error is
// outside the contract, and nothing is stored.
func (l *Log) Append(now time.Time, events []Pending) (made []Event, err error) {
	var text []byte
	hash := l.head.Hash
	for i, e := range events {
		if e.Payload.Batch = nil; len(events) > 1 {
			e.Payload.Batch = []int{i + 1, len(events)}
		}
		one, next, err := line(hash, e, now)
		if err != nil {
			return nil, err
		}
		event, _ := parse(one[:len(one)-1])
		text, hash, made = append(text, one...), next, append(made, event)
	}
	if len(text) > MaxChange {
		return nil, fault.Invalid("store fewer documents at once", "the change has %d bytes, more than %d", len(text),
			MaxChange)
	}
	_, err = l.file.WriteAt(text, l.end)
	if err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, l.file.Truncate(l.end))
	}
	l.end += int64(len(text))
	l.head = Point{l.end, hash}
	return made, nil
}
