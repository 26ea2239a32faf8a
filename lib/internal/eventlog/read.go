package eventlog

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// A Reading is the content of a log up to the first event that breaks the chain: the facts that the chain proves.
type Reading struct {
	*Facts

	Count    int   // the number of proven events
	Verified int64 // the offset after the last proven event
	last     point
	points   map[int]point // the positions of the checkpoints, by the number of events

	Bad string // the place of the first unproven event, "" if there is none
	Why error  // what is wrong with it

	Torn string // where a crash damaged a line first (torn, or zeros); "" if it did not

	Notes []Note // about unusual events, which prove their content all the same

	log *io.SectionReader
}

// A point is the line of an event, and its hash.
type point struct {
	hash string
	line int
}

// A Note is a remark on a line of the log.
type Note struct{ Place, Text string }

// Read follows the chain of a log. It keeps the hashes of the events at the checkpoints.
func Read(log *io.SectionReader, checkpoints ...Checkpoint) (*Reading, error) {
	r := &Reading{Facts: NewFacts(), last: point{hash: Genesis}, points: make(map[int]point),
		log: log}
	for _, c := range checkpoints {
		r.points[c.Count] = point{}
	}
	end, err := wholeEnd(log)
	if err != nil {
		return nil, err
	}
	lines, err := scan(ParseEvent, io.NewSectionReader(log, 0, end), nil, func(events []Parsed) bool {
		for i := range events {
			if !r.follows(&events[i]) {
				r.Bad, r.Why = events[i].place(), events[i].Err
				return false
			}
		}
		return true
	})
	if end < log.Size() && r.Bad == "" {
		r.Torn = Place(lines + 1)
	}
	return r, err
}

// follows adds an event if it continues the chain. Otherwise it sets e.Err.
func (r *Reading) follows(e *Parsed) bool {
	if e.Err == nil && e.Prev != r.last.hash {
		e.Err = fmt.Errorf("broken hash chain: it names %.80q as the event before, which is %q", e.Prev, r.last.hash)
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
	r.Verified = e.End()
	if _, wanted := r.points[r.Count]; wanted {
		r.points[r.Count] = r.last
	}
	return true
}

// Head returns the checkpoint of the last proven event.
func (r *Reading) Head() Checkpoint { return Checkpoint{r.Count, r.last.hash} }

// Written reads the write event of a handoff again.
func (r *Reading) Written(h Handoff) (w Written, err error) {
	var line Event
	if err = json.NewDecoder(io.NewSectionReader(r.log, h.Offset, disk.MaxEvent)).Decode(&line); err == nil {
		err = json.Unmarshal(line.Payload, &w)
	}
	return w, err
}
