package eventlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Parsed is a parsed line of the log. The chain is not checked.
type Parsed struct {
	Event
	Line
	Hash      string
	Canonical bool
	Err       error
	Content   any // the payload, such as Written, if its type is read; nil if Err is set
}

// contents maps an event type, except those of the ledger, to the function that parses its payload. The
// function is nil if the payload does not matter to the store.
var contents = map[string]func(json.RawMessage) (any, error){
	TypeWrite: payload[Written], TypeImport: imported, TypeMarkRead: payload[MarkedRead],
	TypeMarkUnread: payload[MarkedUnread],
	TypeRepair:     payload[Repaired],
	TypeRecovered:  payload[Recovered], TypeRegenerate: payload[Regenerated], TypeBegin: payload[Begun],
	TypeSurface: nil, TypeRotate: nil, TypeValidate: nil,
	TypeSign: payload[Signed], TypeTrust: nil, TypePrune: payload[Pruned],
}

// content returns the function that parses the payload of an event type, and whether the type is known.
func content(eventType string) (read func(json.RawMessage) (any, error), known bool) {
	if IsConsumption(eventType) {
		return payload[Resumed], true
	}
	read, known = contents[eventType]
	return read, known
}

// payload parses the payload of an event of a known type.
func payload[T any](text json.RawMessage) (any, error) {
	var p T
	err := json.Unmarshal(text, &p)
	return p, err
}

// imported parses the payload of an import: a document that was written here, or ids that came with the files
// of the store.
func imported(text json.RawMessage) (any, error) {
	var came struct {
		Imported
		Written
	}
	if err := json.Unmarshal(text, &came); err != nil || came.HandoffIDs != nil {
		return came.Imported, err
	}
	return came.Written, nil
}

// Skim is [ParseEvent] without the content of an event that stored a handoff, for a line that [Link] has written.
// It takes a fifth of the time.
func Skim(l Line) Parsed {
	head, rest, _ := bytes.Cut(l.Text, []byte(`","payload":`))
	kind := strings.TrimPrefix(string(head), `{"event_type":"`)
	if kind != TypeImport && kind != TypeWrite || len(l.Text) > disk.MaxEvent {
		return ParseEvent(l)
	}
	e := Chained(l)
	if e.Type == "" && e.Err == nil { // not parsed
		e.Type, e.Payload = kind, rest[:bytes.LastIndex(rest, []byte(`,"prev_hash":"`))]
	}
	return e
}

// Chained is [ParseEvent] for the hash of a line and of the event before alone, if [Link] has written the line. It
// takes a tenth of the time.
func Chained(l Line) Parsed {
	if prev := prevOf(l.Text); prev != "" {
		return Parsed{Event: Event{Prev: prev}, Line: l, Hash: jsontree.SHA256Hex(l.Text)}
	}
	return ParseEvent(l)
}

// prevOf returns the hash of the event before, from the end of a line that [Link] has written, "" for other lines.
func prevOf(text []byte) string {
	const end = `","primitive_id":"L6","redaction_applied":null,"schema_version":"1.1.0","ts_utc":"`
	head, isOurs := bytes.CutSuffix(text[:max(0, len(text)-len(timeLayout+`"}`))], []byte(end))
	at := bytes.LastIndexByte(head, '"') + 1
	if !isOurs || !bytes.HasSuffix(head[:at], []byte(`},"prev_hash":"`)) {
		return ""
	}
	return string(head[at:])
}

// ParseEvent parses a line. If the line is not an event, Err is set.
func ParseEvent(l Line) Parsed {
	e := Parsed{Line: l}
	if l.long || len(l.Text) > disk.MaxEvent {
		e.Err = fmt.Errorf("has more than %d bytes, the most of an event", disk.MaxEvent)
		return e
	}
	var kind struct {
		Event
		Version   string          `json:"schema_version"`
		Primitive string          `json:"primitive_id"`
		Signature json.RawMessage `json:"signature"`
	}
	text, err := jsontree.Canonicalize(l.Text)
	if err == nil {
		err = json.Unmarshal(l.Text, &kind)
	}
	if err == nil && (kind.Primitive != "L6" || kind.Version != "1.1.0") {
		err = fmt.Errorf("has primitive_id %.80q and schema_version %.80q", kind.Primitive, kind.Version)
	}
	if err != nil {
		e.Err = err
		return e
	}
	e.Event = kind.Event
	e.Canonical = bytes.Equal(text, l.Text)
	e.Hash = jsontree.SHA256Hex(text)
	if kind.Signature != nil { // the hash omits these fields
		e.Hash, e.Err = HashLine(l.Text)
	}
	if read, _ := content(e.Type); read != nil && e.Err == nil {
		if e.Content, err = read(e.Payload); err != nil {
			e.Content, e.Err = nil, err
		}
	}
	return e
}
