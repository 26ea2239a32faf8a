package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// A Reading is what a log says: what is proven by its chain, and what stands behind the first event
// that does not continue it.
type Reading struct {
	*Facts
	Unproven *Facts

	Writer   string // of the state directory, "" if it has none; known to who opened that
	Count    int    // of the events that are proven
	Verified int64  // bytes of the log up to the end of the last of them
	last     point
	points   map[int]point // those that were asked for, by the count of events up to them

	Bad string // the place of the first event that is not proven, "" if all are
	Why error  // what is wrong with it

	Torn   string // the place of the first of the last lines that a crash has left without an end or with zeros, "" if none
	TornAt int64

	Notes []Note // on events that are odd, and prove what they say all the same

	log *io.SectionReader
}

// A point is where an event stands, and its hash.
type point struct {
	hash string
	line int
}

// A Note is a remark on a line of the log.
type Note struct{ Place, Text string }

// Read walks the chain of a log. It keeps the hashes of the events at which checkpoints were made.
func Read(log *io.SectionReader, checkpoints ...Checkpoint) (*Reading, error) {
	r := &Reading{Facts: NewFacts(), Unproven: NewFacts(), last: point{hash: Genesis}, points: make(map[int]point), log: log}
	for _, c := range checkpoints {
		r.points[c.Count] = point{}
	}
	_, end, err := Tail(log, log.Size())
	if errors.Is(err, fault.ErrIntegrity) { // what stands at the end is no event
		end, err = log.Size(), nil
	}
	if err != nil {
		return nil, err
	}
	var events []Parsed
	lines, err := eachLines(io.NewSectionReader(log, 0, end), func(lines []Line) {
		events = slices.Grow(events[:0], len(lines))[:len(lines)]
		parallel.Each(len(lines), runtime.GOMAXPROCS(0), func(i int) { events[i] = ParseEvent(lines[i]) })
		r.take(events)
	})
	if end < log.Size() {
		r.Torn, r.TornAt = Place(lines+1), end
	}
	return r, err
}

// take goes on with events of the log.
func (r *Reading) take(events []Parsed) {
	for i := range events {
		if r.Bad == "" && !r.follows(&events[i]) {
			r.Bad, r.Why = events[i].place(), events[i].Err
		}
		if r.Bad != "" {
			r.Unproven.CollectAll(events[i:])
			return
		}
	}
}

// follows takes in what an event says if it continues the chain; else its Err says why not.
func (r *Reading) follows(e *Parsed) bool {
	if e.Err == nil && e.Prev != r.last.hash {
		e.Err = fmt.Errorf("the chain is broken: it names %.80q as the event before, which is %q", e.Prev, r.last.hash)
	}
	if e.Err != nil {
		return false
	}
	r.Collect(*e)
	if !e.Canonical {
		r.Notes = append(r.Notes, Note{e.place(), "is not written in canonical form"})
	}
	if _, known := content(e.Type); !known {
		r.Notes = append(r.Notes, Note{e.place(), fmt.Sprintf("has the unknown event type %.80q", e.Type)})
	}
	r.Count++
	r.last = point{e.Hash, e.Number}
	r.Verified = e.Offset + int64(len(e.Text)) + 1
	if _, wanted := r.points[r.Count]; wanted {
		r.points[r.Count] = r.last
	}
	return true
}

// Head returns the checkpoint of the last event that is proven.
func (r *Reading) Head() Checkpoint { return Checkpoint{r.Count, r.last.hash, r.Writer} }

// Written reads the write event of a handoff again.
func (r *Reading) Written(h Handoff) (w Written, err error) {
	var line Event
	if err = json.NewDecoder(io.NewSectionReader(r.log, h.Offset, layout.MaxEvent)).Decode(&line); err == nil {
		err = json.Unmarshal(line.Payload, &w)
	}
	return w, err
}

// Open opens the log of a state directory as it is now: it only grows. One that does not exist has no events.
func Open(state *durable.Dir) (log *io.SectionReader, done func() error, err error) {
	f, err := state.OpenText(layout.Log)
	if errors.Is(err, fs.ErrNotExist) {
		return None(), func() error { return nil }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if f.Size() > layout.MaxLog {
		f.Close()
		return nil, nil, fmt.Errorf("%w: %d bytes, more than the %d that are read", durable.ErrTooLarge, f.Size(), layout.MaxLog)
	}
	return io.NewSectionReader(f, 0, f.Size()), f.Close, nil
}

// Backward goes through the whole lines of a log from the last to the first, until do returns false. A line
// is good until do returns.
func Backward(log *io.SectionReader, do func(line []byte) bool) error {
	const piece = 64 << 10
	var tail []byte // of what was read, the beginning of whose first line is not there yet
	for end := log.Size(); end > 0; {
		start := max(0, end-max(piece, int64(len(tail)))) // so that a long line is not copied often
		buf := make([]byte, end-start, end-start+int64(len(tail)))
		if _, err := log.ReadAt(buf, start); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if buf, end = append(buf, tail...), start; len(buf) > layout.MaxEvent {
			return &fault.CorruptError{File: layout.Log, Why: "has a line that is longer than any event"}
		}
		for {
			stop := bytes.LastIndexByte(buf, '\n')
			from := bytes.LastIndexByte(buf[:max(stop, 0)], '\n') + 1
			if stop < 0 || from == 0 && start > 0 {
				break
			}
			if !do(buf[from:stop]) {
				return nil
			}
			buf = buf[:from]
		}
		tail = buf
	}
	return nil
}

// None is a log without events.
func None() *io.SectionReader { return io.NewSectionReader(strings.NewReader(""), 0, 0) }
