package eventlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
)

// Facts is what the audit log says.
type Facts struct {
	Writes  map[string]LoggedWrite
	Again   map[string]string // ids that are recorded twice → the place of the second event
	Marks   map[string][]index.Mark
	Resumes map[string]LoggedResume // by token
	Resumed []string                // the tokens, in order
	Hashes  []string                // of the events, in order
	Lines   []int                   // on which they stand
	Adopted Adoption                // what was once taken over without its events
	Machine string                  // the fingerprint of the last regenerate

	// What repairs have said: ids whose documents are gone, and ids whose next event replaces the former.
	Aside, Superseded map[string]bool
}

type LoggedWrite struct {
	Written
	Place string
	Line  int
}

func NewFacts() *Facts {
	return &Facts{Writes: make(map[string]LoggedWrite), Again: make(map[string]string), Marks: make(map[string][]index.Mark), Resumes: make(map[string]LoggedResume),
		Aside: make(map[string]bool), Superseded: make(map[string]bool)}
}

// A Parsed is a line of the log, looked at by itself.
type Parsed struct {
	Event
	LogLine
	Place, Hash string
	Canonical   bool
	Err         error
}

var Types = []string{TypeWrite, TypeMarkRead, TypeSurface, TypeRepair, TypeRotate, TypeRecovered, TypeRegenerate,
	TypeResume, TypeValidate}

func ParseEvent(l LogLine) Parsed {
	e := Parsed{LogLine: l, Place: l.place()}
	if len(l.Text) > layout.MaxEvent {
		e.Err = fmt.Errorf("has %d bytes, more than the %d of an event", len(l.Text), layout.MaxEvent)
		return e
	}
	var kind struct {
		Event
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
		e.Err = err
		return e
	}
	e.Event = kind.Event
	e.Canonical = bytes.Equal(text, l.Text)
	e.Hash = canon.SHA256Hex(text)
	if kind.Signature != nil { // its own fields are left out of the hash
		e.Hash, e.Err = HashLine(l.Text)
	}
	return e
}

// Collect takes in what an event says. It fails on a payload of another shape than that of its type.
func (f *Facts) Collect(e Parsed) (err error) {
	switch e.Type {
	case TypeWrite:
		var w Written
		if w, err = payload[Written](e); err == nil {
			f.write(LoggedWrite{w, e.Place, e.Number})
		}
	case TypeMarkRead:
		var m MarkedRead
		if m, err = payload[MarkedRead](e); err == nil && fitsRow(m) {
			f.Marks[m.HandoffID] = SetMark(f.Marks[m.HandoffID], index.Mark{Operator: m.OperatorID, Time: m.Time})
		}
	case TypeResume:
		var r Resumed
		if r, err = payload[Resumed](e); err == nil {
			f.resume(LoggedResume{r.Consumption, e.Place})
		}
	case TypeRecovered:
		var r Recovered
		r, err = payload[Recovered](e)
		f.Adopted.add(r)
	case TypeRegenerate:
		var r Regenerated
		if r, err = payload[Regenerated](e); err == nil {
			f.Machine = r.NewFingerprint
		}
	case TypeRepair:
		var r Repaired
		r, err = payload[Repaired](e)
		f.repair(r)
	}
	return err
}

var idInEvent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"handoff_id":"(sha256:[0-9a-f]{64})"`) })

// CollectAll takes in what the events say, whether they follow each other or not. Of one that cannot be read it takes
// the handoffs and the token that it names: they were in the store.
func (f *Facts) CollectAll(events []Parsed) {
	for _, e := range events {
		if e.Err == nil && f.Collect(e) == nil {
			continue
		}
		for _, m := range idInEvent().FindAllSubmatch(e.Text, -1) {
			f.write(LoggedWrite{Written{HandoffID: string(m[1])}, e.Place, e.Number})
		}
		if key, ok := ResumeKey(e.Text); ok {
			f.resume(LoggedResume{Consumption{Token: string(key)}, e.Place})
		}
	}
}

// fitsRow reports whether a row can hold the mark. One that cannot be is as good as not recorded.
func fitsRow(m MarkedRead) bool {
	const file = "2000-01-01-a-b-c.md"
	row := index.Row{ID: m.HandoffID, File: file, From: "a", To: "b", Topic: "c", Time: "2000-01-01T00:00:00Z"}
	row, ok := index.ParseRow(row.WithMark(index.Mark{Operator: m.OperatorID, Time: m.Time}).String())
	return ok && len(row.Marks()) == 1
}

func payload[T any](e Parsed) (p T, err error) {
	err = json.Unmarshal(e.Payload, &p)
	return p, err
}

func (f *Facts) write(w LoggedWrite) {
	id := w.HandoffID
	switch _, known := f.Writes[id]; {
	case f.Aside[id]: // written again after a repair: what was said of it before is over
		delete(f.Aside, id)
		delete(f.Marks, id)
	case f.Superseded[id]:
		delete(f.Superseded, id)
	case known:
		f.Again[id] = w.Place
		return
	}
	f.Writes[id] = w
}

func (f *Facts) resume(r LoggedResume) {
	if f.Resumes[r.Token].Place == "" {
		f.Resumes[r.Token] = r
		f.Resumed = append(f.Resumed, r.Token)
	}
}

func (f *Facts) repair(r Repaired) {
	for _, id := range r.Quarantined {
		f.Aside[id] = true
		delete(f.Again, id)
	}
	for _, id := range r.Superseded {
		f.Superseded[id] = true
		delete(f.Again, id)
	}
}

// SetMark adds a mark, or gives that of the operator its time.
func SetMark(marks []index.Mark, mark index.Mark) []index.Mark {
	for i, m := range marks {
		if m.Operator == mark.Operator {
			marks[i] = mark
			return marks
		}
	}
	return append(marks, mark)
}

// MayLack reports whether a handoff and what became of it may have no events: if it was adopted, its write has none.
func (f *Facts) MayLack(id string) bool {
	_, logged := f.Writes[id]
	return f.Adopted.Rows > 0 && !logged
}

// DiffersFrom returns the name of the first thing that the event says otherwise than the row, or than the
// document if there is one.
func (w LoggedWrite) DiffersFrom(row index.Row, doc *document.Document) string {
	switch {
	case w.From != row.From:
		return "from"
	case w.To != row.To:
		return "to"
	case w.Topic != row.Topic:
		return "topic"
	case w.Time != row.Time:
		return "ts_utc"
	case path.Base(w.FilePath) != row.File:
		return "file"
	case doc == nil:
		return ""
	case w.SchemaVersion != doc.SchemaVersion:
		return "schema_version"
	case w.ReferencesCount != len(doc.References):
		return "references_count"
	case !slices.Equal(w.Tags, doc.Tags):
		return "tags"
	case w.BodyByteSize != len(doc.Body):
		return "body_byte_size"
	}
	return ""
}

// A LoggedResume is a consumed token as the audit log records it.
type LoggedResume struct {
	Consumption
	Place string
}

// ResumeKey returns the key of the token that a line of the log records as consumed.
func ResumeKey(line []byte) ([]byte, bool) {
	if !isType(line, TypeResume) {
		return nil, false
	}
	return textField(line, "token")
}

// WrittenID returns the id of the handoff whose writing a line of the log records, unless its document was there before.
func WrittenID(line []byte) ([]byte, bool) {
	if !isType(line, TypeWrite) || bytes.Contains(line, []byte(`"adopted":true`)) {
		return nil, false
	}
	return textField(line, "handoff_id")
}

// MarkOf returns the id of the handoff that a line of the log records as read, and by whom.
func MarkOf(line []byte) (id, operator []byte, ok bool) {
	if !isType(line, TypeMarkRead) {
		return nil, nil, false
	}
	id, _ = textField(line, "handoff_id")
	operator, ok = textField(line, "operator_id")
	return id, operator, ok
}

func isType(line []byte, name string) bool {
	return bytes.HasPrefix(line, []byte(`{"event_type":"`+name+`"`))
}

// textField returns the value of the first field of the name, for values that are written without an escape. A quote
// inside of another value is written with one, so that none looks like the field.
func textField(line []byte, name string) ([]byte, bool) {
	_, rest, _ := bytes.Cut(line, []byte(`"`+name+`":"`))
	value, _, ok := bytes.Cut(rest, []byte(`"`))
	return value, ok
}
