package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// Open opens the log of a state directory at its present size. A log that does not exist has no events. The
// caller must call done.
func Open(state *disk.Dir) (log *io.SectionReader, done func() error, err error) {
	f, err := state.OpenText(disk.LogFile)
	if errors.Is(err, fs.ErrNotExist) {
		return None(), func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if f.Size() > disk.MaxLog {
		f.Close()
		return nil, nil, fmt.Errorf("%w: %d bytes, more than the %d that are read", disk.ErrTooLarge, f.Size(),
			disk.MaxLog)
	}
	return io.NewSectionReader(f, 0, f.Size()), f.Close, nil
}

// None returns a log without events.
func None() *io.SectionReader { return io.NewSectionReader(strings.NewReader(""), 0, 0) }

// Scan returns an iterator over the events of a log, starting with the line at the offset from. parse is [ParseEvent]
// or [Skim]. A line that is not an event has Err set. Scan skips markers of other tools and a torn end. If there are
// needles, it skips lines that contain none of them. Lines are counted from the offset. The text of an event is valid
// until the next one. If reading fails, Scan stops and sets *failed. It does not check the chain: see [Read].
func Scan(parse func(Line) Parsed, log *io.SectionReader, from int64, failed *error,
	needles ...string) iter.Seq[Parsed] {
	return func(yield func(Parsed) bool) {
		end, err := wholeEnd(log)
		if err == nil {
			rest := io.NewSectionReader(log, from, max(0, end-from))
			_, err = scan(parse, rest, needles, func(events []Parsed) bool {
				for _, e := range events {
					if e.Offset += from; !yield(e) {
						return false
					}
				}
				return true
			})
		}
		if err != nil {
			*failed = err
		}
	}
}

// wholeEnd returns the offset of the torn end of a log, or its size if the log is whole.
func wholeEnd(log *io.SectionReader) (int64, error) {
	_, end, err := Tail(log, log.Size())
	if errors.Is(err, fault.ErrIntegrity) { // the last line is not an event
		return log.Size(), nil
	}
	return end, err
}

// scan parses lines in batches, and returns the number of lines.
func scan(parse func(Line) Parsed, r *io.SectionReader, needles []string, do func([]Parsed) bool) (lines int,
	err error) {
	var events []Parsed
	return eachLines(r, func(lines []Line) bool {
		if len(needles) > 0 {
			lines = slices.DeleteFunc(lines, func(l Line) bool {
				return !slices.ContainsFunc(needles, func(n string) bool { return bytes.Contains(l.Text, []byte(n)) })
			})
		}
		events = slices.Grow(events[:0], len(lines))[:len(lines)]
		parallel.Each(len(lines), runtime.GOMAXPROCS(0), func(i int) { events[i] = parse(lines[i]) })
		return do(events)
	})
}
