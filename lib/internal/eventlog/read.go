package eventlog

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/parallel"
)

// A Reading is what a log says: what is proven by its chain, and what stands behind the first event that does not
// continue it.
type Reading struct {
	*Facts
	Unproven *Facts

	Bad      string // the place of that event, "" if all continue the chain
	Why      error  // what is wrong with it
	Verified int64  // bytes of the log up to there

	Torn   string // the place of a last line that has no end, "" if it has
	TornAt int64

	Notes []Note // on events that are odd, and prove what they say all the same
}

// A Note is a remark on a line of the log.
type Note struct{ Place, Text string }

// slice is how many lines are looked at together, on all processors.
const slice = 4096

// Read walks the chain of a log.
func Read(text []byte) *Reading {
	r := &Reading{Facts: NewFacts(), Unproven: NewFacts()}
	prev := Genesis
	for lines := range r.slices(text) {
		events := make([]Parsed, len(lines))
		parallel.Each(len(lines), runtime.GOMAXPROCS(0), func(i int) { events[i] = ParseEvent(lines[i]) })
		for i, e := range events {
			if r.Bad == "" && !r.follows(&e, prev) {
				r.Bad, r.Why = e.Place, e.Err
			}
			if r.Bad != "" {
				r.Unproven.CollectAll(events[i:])
				break
			}
			prev = e.Hash
		}
	}
	return r
}

// slices goes through the lines that are events, some at a time. A torn line ends the log.
func (r *Reading) slices(text []byte) func(func([]LogLine) bool) {
	return func(yield func([]LogLine) bool) {
		var lines []LogLine
		for l := range LogLines(text) {
			if l.Torn {
				if r.Torn == "" {
					r.Torn, r.TornAt = l.place(), l.Offset
				}
			} else if !l.Marker {
				lines = append(lines, l)
			}
			if len(lines) == slice {
				if !yield(lines) {
					return
				}
				lines = lines[:0]
			}
		}
		if len(lines) > 0 {
			yield(lines)
		}
	}
}

// follows takes in what an event says if it continues the chain; else its Err says why not.
func (r *Reading) follows(e *Parsed, prev string) bool {
	if e.Err == nil && e.Prev != prev {
		e.Err = fmt.Errorf("the chain is broken: it names %q as the event before, which is %q", e.Prev, prev)
	}
	if e.Err == nil {
		e.Err = r.Collect(*e)
	}
	if e.Err != nil {
		return false
	}
	if !e.Canonical {
		r.Notes = append(r.Notes, Note{e.Place, "is not written in canonical form"})
	}
	if !slices.Contains(Types, e.Type) {
		r.Notes = append(r.Notes, Note{e.Place, fmt.Sprintf("has the unknown event type %q", e.Type)})
	}
	r.Hashes, r.Lines = append(r.Hashes, e.Hash), append(r.Lines, e.Number)
	r.Verified = e.Offset + int64(len(e.Text)) + 1
	return true
}

// Head returns the checkpoint of the last event that is proven.
func (f *Facts) Head() Checkpoint {
	n := len(f.Hashes)
	if n == 0 {
		return Checkpoint{0, Genesis}
	}
	return Checkpoint{n, f.Hashes[n-1]}
}
