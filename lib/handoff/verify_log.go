package handoff

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

const maxLog = 1 << 30

// logFacts is what the audit log says.
type logFacts struct {
	writes  map[string]loggedWrite
	marks   map[journal.Mark]string // Time is left out of the key → the time
	hashes  []string                // of the events, in order
	adopted bool                    // rows were once taken over without their events
	machine string                  // the fingerprint of the last regenerate
	aside   map[string]bool         // ids that a repair put aside
}

type loggedWrite struct {
	writePayload
	place string
	line  int
}

// readLog walks the chain and collects what the events say.
func (c *check) readLog() error {
	c.log = logFacts{writes: make(map[string]loggedWrite), marks: make(map[journal.Mark]string), aside: make(map[string]bool)}
	if c.state == nil {
		return nil
	}
	f, err := c.state.OpenSole(logName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		c.fault(logName, "", "cannot be read: %v", err)
		return nil
	}
	defer f.Close()
	text, err := c.state.ReadFile(logName, maxLog)
	if err != nil {
		return err
	}
	prev := journal.Genesis
	for _, e := range c.parseLog(text) {
		if e.err == nil && e.Prev != prev {
			e.err = fmt.Errorf("the chain is broken: it names %q as the event before, which is %q", e.Prev, prev)
		}
		if e.err == nil {
			e.err = c.collect(e.place, e.line, e.Event)
		}
		if e.err != nil {
			c.fault(e.place, "", "%v; what comes after it proves nothing", e.err)
			break
		}
		c.log.hashes = append(c.log.hashes, e.hash)
		prev = e.hash
	}
	c.report.Events = len(c.log.hashes)
	c.report.Head = fmt.Sprintf("%d:%s", len(c.log.hashes), prev)
	return nil
}

// A parsedEvent is a line of the log, looked at by itself.
type parsedEvent struct {
	journal.Event
	place, hash string
	line        int
	err         error
}

// parseLog looks at the lines of the log one by one, on all processors. A torn line ends it.
func (c *check) parseLog(text []byte) []parsedEvent {
	var lines []journal.Line
	for l := range journal.Lines(text) {
		if l.Torn {
			c.fault(fmt.Sprintf("%s:%d", logName, l.Number), "any writing command, or "+remedyRepair, "the last line is torn")
		} else if !l.Marker {
			lines = append(lines, l)
		}
	}
	events := make([]parsedEvent, len(lines))
	each(len(lines), runtime.GOMAXPROCS(0), func(i int) { events[i] = parseEvent(lines[i]) })
	return events
}

func parseEvent(l journal.Line) parsedEvent {
	e := parsedEvent{place: fmt.Sprintf("%s:%d", logName, l.Number), line: l.Number}
	var kind struct {
		journal.Event
		Version   string          `json:"schema_version"`
		Primitive string          `json:"primitive_id"`
		Signature json.RawMessage `json:"signature"`
	}
	canonical, err := canon.Transform(l.Text)
	switch {
	case err != nil:
		e.err = err
	case !bytes.Equal(canonical, l.Text):
		e.err = errors.New("is not in canonical form")
	default:
		e.err = json.Unmarshal(l.Text, &kind)
	}
	if e.err == nil && (kind.Primitive != "L6" || kind.Version != "1.1.0") {
		e.err = fmt.Errorf("has primitive_id %q and schema_version %q", kind.Primitive, kind.Version)
	}
	if e.err != nil {
		return e
	}
	e.Event = kind.Event
	e.hash = canon.SHA256Hex(l.Text)
	if kind.Signature != nil { // its own fields are left out of the hash
		e.hash, e.err = chain.HashLine(l.Text)
	}
	return e
}

func (c *check) collect(place string, line int, e journal.Event) error {
	switch e.Type {
	case eventWrite:
		var w writePayload
		if err := json.Unmarshal(e.Payload, &w); err != nil {
			return err
		}
		if first, again := c.log.writes[w.HandoffID]; again && !c.log.aside[w.HandoffID] {
			c.fault(place, "", "records the write of %s again, after %s", w.HandoffID, first.place)
			return nil
		}
		if c.log.aside[w.HandoffID] { // written again after a repair: what was said of it before is over
			delete(c.log.aside, w.HandoffID)
			maps.DeleteFunc(c.log.marks, func(m journal.Mark, _ string) bool { return m.ID == w.HandoffID })
		}
		c.log.writes[w.HandoffID] = loggedWrite{w, place, line}
	case eventMarkRead:
		var m markReadPayload
		if err := json.Unmarshal(e.Payload, &m); err != nil {
			return err
		}
		c.log.marks[journal.Mark{ID: m.HandoffID, Operator: m.OperatorID}] = m.Time
	case eventRecovered:
		var r recoveredPayload
		if err := json.Unmarshal(e.Payload, &r); err != nil {
			return err
		}
		c.log.adopted = c.log.adopted || r.AdoptedRows > 0
	case eventRegenerate:
		var r regeneratePayload
		if err := json.Unmarshal(e.Payload, &r); err != nil {
			return err
		}
		c.log.machine = r.NewFingerprint
	case eventRepair:
		var r repairPayload
		if err := json.Unmarshal(e.Payload, &r); err != nil {
			return err
		}
		for _, id := range r.Quarantined {
			c.log.aside[id] = true
		}
	case eventRotate, eventSurface, "handoff.resume", "handoff.validate":
	default:
		c.warn(place, "", "has the unknown event type %q", e.Type)
	}
	return nil
}

// checkEvents holds rows and events against each other, both ways.
func (c *check) checkEvents() {
	for _, id := range c.order {
		c.checkRowEvents(c.rows[id])
	}
	for id, w := range c.log.writes {
		if c.rows[id] == nil && c.log.aside[id] {
			c.warn(w.place, "write it again", "records %s, which did not verify and was put aside", id)
		} else if c.rows[id] == nil {
			c.fault(w.place, remedyRepair, "records %s, which no row lists", id)
		}
	}
	for m, at := range c.log.marks {
		if row := c.rows[m.ID]; row != nil && !slices.Contains(row.Marks(), index.Mark{Operator: m.Operator, Time: at}) {
			c.fault(row.place, remedyRepair, "lacks the read mark %s:%s, which the audit log records", m.Operator, at)
		}
	}
}

func (c *check) checkRowEvents(row *listedRow) {
	report := c.fault
	if c.log.adopted {
		report = c.warn
	}
	w, ok := c.log.writes[row.ID]
	if !ok {
		report(row.place, remedyRepair, "%s has no write event in the audit log", row.ID)
	} else if diff := w.differsFrom(row); diff != "" {
		c.fault(w.place, "", "records another %s than %s has", diff, row.place)
	}
	for _, m := range row.Marks() {
		if at, ok := c.log.marks[journal.Mark{ID: row.ID, Operator: m.Operator}]; !ok || at != m.Time {
			report(row.place, remedyRepair, "the read mark %s:%s has no event in the audit log", m.Operator, m.Time)
		}
	}
}

// differsFrom returns the name of the first thing that the event says otherwise than row and document.
func (w loggedWrite) differsFrom(row *listedRow) string {
	type pair struct{ name, event, row string }
	pairs := []pair{{"from", w.From, row.From}, {"to", w.To, row.To}, {"topic", w.Topic, row.Topic}, {"ts_utc", w.Time, row.Time},
		{"file", path.Base(w.FilePath), row.File}}
	if row.doc != nil {
		pairs = append(pairs, pair{"schema_version", w.SchemaVersion, row.doc.SchemaVersion},
			pair{"references_count", fmt.Sprint(w.ReferencesCount), fmt.Sprint(len(row.doc.References))},
			pair{"tags", strings.Join(w.Tags, " "), strings.Join(row.doc.Tags, " ")},
			pair{"body_byte_size", fmt.Sprint(w.BodyByteSize), fmt.Sprint(len(row.doc.Body))})
	}
	for _, p := range pairs {
		if p.event != p.row {
			return p.name
		}
	}
	return ""
}

// AuditHead returns how many events the audit log has, and the hash that the next one will name.
func (s *Store) AuditHead() (count int, hash string, err error) {
	c := &check{Store: s}
	if c.state, err = openOptional(s.opt.StateDir); err != nil {
		return 0, "", err
	}
	if c.state != nil {
		defer c.state.Close()
	}
	if err := c.readLog(); err != nil {
		return 0, "", err
	}
	if err := c.report.Err(); err != nil {
		return 0, "", err
	}
	if len(c.log.hashes) == 0 {
		return 0, journal.Genesis, nil
	}
	return len(c.log.hashes), c.log.hashes[len(c.log.hashes)-1], nil
}

// AuditHas reports whether event number count of the audit log has the hash: whether the log is the one
// that AuditHead once described, or a continuation of it.
func (s *Store) AuditHas(count int, hash string) (bool, error) {
	c := &check{Store: s}
	var err error
	if c.state, err = openOptional(s.opt.StateDir); err != nil {
		return false, err
	}
	if c.state != nil {
		defer c.state.Close()
	}
	if err := c.readLog(); err != nil {
		return false, err
	}
	if count == 0 {
		return hash == journal.Genesis, nil
	}
	return count <= len(c.log.hashes) && c.log.hashes[count-1] == hash, nil
}
