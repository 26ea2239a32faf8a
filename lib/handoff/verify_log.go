package handoff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// logFacts is what the audit log says.
type logFacts struct {
	writes  map[string]loggedWrite
	again   map[string]string // ids that are recorded twice → the place of the second event
	marks   map[string][]index.Mark
	resumes map[string]loggedResume // by token
	resumed []string                // the tokens, in order
	hashes  []string                // of the events, in order
	lines   []int                   // on which they stand
	adopted adoption                // what was once taken over without its events
	machine string                  // the fingerprint of the last regenerate

	// What repairs have said: ids whose documents are gone, and ids whose next event replaces the former.
	aside, superseded map[string]bool

	bad      string // the place of the first event that does not continue the chain, "" if all do
	verified int64  // bytes of the log up to there
	torn     bool   // the last line has no end
}

type loggedWrite struct {
	writePayload
	place string
	line  int
}

func newLogFacts() *logFacts {
	return &logFacts{writes: make(map[string]loggedWrite), again: make(map[string]string), marks: make(map[string][]index.Mark), resumes: make(map[string]loggedResume),
		aside: make(map[string]bool), superseded: make(map[string]bool)}
}

// A parsedEvent is a line of the log, looked at by itself.
type parsedEvent struct {
	journal.Event
	journal.Line
	place, hash string
	canonical   bool
	err         error
}

// readLog walks the chain and collects what the events say, up to the first that does not continue it.
func (c *check) readLog() {
	c.report.Faults = append(c.report.Faults, c.odd...)
	prev := journal.Genesis
	events := c.parseLog()
	for i, e := range events {
		if e.err == nil && e.Prev != prev {
			e.err = fmt.Errorf("the chain is broken: it names %q as the event before, which is %q", e.Prev, prev)
		}
		if e.err == nil {
			e.err = c.log.collect(e)
		}
		if e.err != nil {
			c.fault(e.place, remedyRepair, "%v; what comes after it proves nothing", e.err)
			c.log.bad = e.place
			c.unproven.collectAll(events[i:])
			break
		}
		if !e.canonical {
			c.warn(e.place, "", "is not written in canonical form")
		}
		if !slices.Contains(eventTypes, e.Type) {
			c.warn(e.place, "", "has the unknown event type %q", e.Type)
		}
		c.log.hashes, c.log.lines = append(c.log.hashes, e.hash), append(c.log.lines, e.Number)
		c.log.verified = e.Offset + int64(len(e.Text)) + 1
		prev = e.hash
	}
	for id, place := range c.log.again {
		c.fault(place, remedyRepair, "records the write of %s again, after %s", id, c.log.writes[id].place)
	}
	c.report.Events = len(c.log.hashes)
	c.report.Head = fmt.Sprintf("%d:%s", len(c.log.hashes), prev)
}

var eventTypes = []string{eventWrite, eventMarkRead, eventSurface, eventRepair, eventRotate, eventRecovered, eventRegenerate,
	eventResume, eventValidate}

// parseLog looks at the lines of the log one by one, on all processors. A torn line ends it.
func (c *check) parseLog() []parsedEvent {
	var lines []journal.Line
	for l := range journal.Lines(c.logText) {
		switch {
		case l.Torn:
			c.log.torn = true
			if c.intent == nil || l.Offset < c.intent.LogOffset {
				c.fault(fmt.Sprintf("%s:%d", logName, l.Number), "any writing command, or "+remedyRepair, "the last line is torn")
			}
		case !l.Marker:
			lines = append(lines, l)
		}
	}
	events := make([]parsedEvent, len(lines))
	each(len(lines), runtime.GOMAXPROCS(0), func(i int) { events[i] = parseEvent(lines[i]) })
	return events
}

func parseEvent(l journal.Line) parsedEvent {
	e := parsedEvent{Line: l, place: fmt.Sprintf("%s:%d", logName, l.Number)}
	var kind struct {
		journal.Event
		Version   string          `json:"schema_version"`
		Primitive string          `json:"primitive_id"`
		Signature json.RawMessage `json:"signature"`
	}
	text, err := canon.Transform(l.Text)
	if err == nil {
		err = json.Unmarshal(l.Text, &kind)
	}
	if err == nil && (kind.Primitive != "L6" || kind.Version != "1.1.0") {
		err = fmt.Errorf("has primitive_id %q and schema_version %q", kind.Primitive, kind.Version)
	}
	if err != nil {
		e.err = err
		return e
	}
	e.Event = kind.Event
	e.canonical = bytes.Equal(text, l.Text)
	e.hash = canon.SHA256Hex(text)
	if kind.Signature != nil { // its own fields are left out of the hash
		e.hash, e.err = chain.HashLine(l.Text)
	}
	return e
}

// collect takes in what an event says. It fails on a payload of another shape than that of its type.
func (f *logFacts) collect(e parsedEvent) (err error) {
	switch e.Type {
	case eventWrite:
		var w writePayload
		if w, err = payload[writePayload](e); err == nil {
			f.write(loggedWrite{w, e.place, e.Number})
		}
	case eventMarkRead:
		var m markReadPayload
		if m, err = payload[markReadPayload](e); err == nil && fitsRow(m) {
			f.marks[m.HandoffID] = setMark(f.marks[m.HandoffID], index.Mark{Operator: m.OperatorID, Time: m.Time})
		}
	case eventResume:
		var r resumePayload
		if r, err = payload[resumePayload](e); err == nil {
			f.resume(loggedResume{r.Consumption, e.place})
		}
	case eventRecovered:
		var r recoveredPayload
		r, err = payload[recoveredPayload](e)
		f.adopted.add(r)
	case eventRegenerate:
		var r regeneratePayload
		if r, err = payload[regeneratePayload](e); err == nil {
			f.machine = r.NewFingerprint
		}
	case eventRepair:
		var r repairPayload
		r, err = payload[repairPayload](e)
		f.repair(r)
	}
	return err
}

var idInEvent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"handoff_id":"(sha256:[0-9a-f]{64})"`) })

// collectAll takes in what the events say, whether they follow each other or not. Of one that cannot be read it takes
// the handoffs and the token that it names: they were in the store.
func (f *logFacts) collectAll(events []parsedEvent) {
	for _, e := range events {
		if e.err == nil && f.collect(e) == nil {
			continue
		}
		for _, m := range idInEvent().FindAllSubmatch(e.Text, -1) {
			f.write(loggedWrite{writePayload{HandoffID: string(m[1])}, e.place, e.Number})
		}
		if key, ok := resumeKey(e.Text); ok {
			f.resume(loggedResume{Consumption{Token: string(key)}, e.place})
		}
	}
}

// fitsRow reports whether a row can hold the mark. One that cannot be is as good as not recorded.
func fitsRow(m markReadPayload) bool {
	const file = "2000-01-01-a-b-c.md"
	row := index.Row{ID: m.HandoffID, File: file, From: "a", To: "b", Topic: "c", Time: "2000-01-01T00:00:00Z"}
	row, ok := index.ParseRow(row.WithMark(index.Mark{Operator: m.OperatorID, Time: m.Time}).String())
	return ok && len(row.Marks()) == 1
}

func payload[T any](e parsedEvent) (p T, err error) {
	err = json.Unmarshal(e.Payload, &p)
	return p, err
}

func (f *logFacts) write(w loggedWrite) {
	id := w.HandoffID
	switch _, known := f.writes[id]; {
	case f.aside[id]: // written again after a repair: what was said of it before is over
		delete(f.aside, id)
		delete(f.marks, id)
	case f.superseded[id]:
		delete(f.superseded, id)
	case known:
		f.again[id] = w.place
		return
	}
	f.writes[id] = w
}

func (f *logFacts) resume(r loggedResume) {
	if f.resumes[r.Token].place == "" {
		f.resumes[r.Token] = r
		f.resumed = append(f.resumed, r.Token)
	}
}

func (f *logFacts) repair(r repairPayload) {
	for _, id := range r.Quarantined {
		f.aside[id] = true
		delete(f.again, id)
	}
	for _, id := range r.Superseded {
		f.superseded[id] = true
		delete(f.again, id)
	}
}

// setMark adds a mark, or gives that of the operator its time.
func setMark(marks []index.Mark, mark index.Mark) []index.Mark {
	for i, m := range marks {
		if m.Operator == mark.Operator {
			marks[i] = mark
			return marks
		}
	}
	return append(marks, mark)
}

// readPromises collects the events of an unfinished change. Rows may have them already or not yet.
func (c *check) readPromises() {
	if c.intent == nil {
		return
	}
	for l := range journal.Lines([]byte(c.intent.LogLines)) {
		if e := parseEvent(l); e.err == nil {
			_ = c.promised.collect(e) // what it cannot read it does not promise
		}
	}
}
