package log

import (
	"bytes"
	"encoding/json"
	"time"

	strict "github.com/seed-78daf238/handoff/lib/internal/json"
)

// FileName is the name of the log in a state directory, Genesis the prev_hash of its first line.
const (
	FileName = "handoff-events.jsonl"
	Genesis  = "GENESIS"
)

// The types of events. Documents come with Write and Import. MarkRead to Sign are facts: of those that contradict each
// other the latest counts. Take to Resume are turns: their order counts.
const (
	Write  = "handoff.write"
	Import = "handoff.import"

	MarkRead   = "handoff.mark_read"
	MarkUnread = "handoff.mark_unread"
	Archive    = "handoff.archive"
	Unarchive  = "handoff.unarchive"
	Sign       = "handoff.sign"

	Take     = "handoff.take"
	Renew    = "handoff.renew"
	Release  = "handoff.release"
	Done     = "handoff.done"
	Reopen   = "handoff.reopen"
	Withdraw = "handoff.withdraw"
	Resume   = "handoff.resume"

	Surface = "handoff.surface" // it informs, and changes nothing
	Prune   = "handoff.prune"
	Repair  = "handoff.repair"

	Trust      = "operators.trust"
	Begin      = "store.begin"
	Regenerate = "machine_fingerprint.regenerate"
	Recovered  = "log.recovered"

	Seal = "batch.seal" // a signature of the ids of events

	SyncRead  = "sync.read"
	SyncBegin = "sync.begin"
	SyncLost  = "sync.lost"
)

// A Payload has the members of the payloads of all types of events. Members that a type does not have are zero.
type Payload struct {
	ID       string `json:"handoff_id,omitempty"`
	Operator string `json:"operator_id,omitempty"`
	Time     string `json:"ts_utc,omitempty"` // of a document its ts_utc, otherwise the time that the event states

	// of a document
	From            string   `json:"from,omitempty"`
	To              string   `json:"to,omitempty"`
	Topic           string   `json:"topic,omitempty"`
	File            string   `json:"file_path,omitempty"`
	Version         string   `json:"schema_version,omitempty"`
	ReferencesCount *int     `json:"references_count,omitempty"`
	Tags            []string `json:"tags,omitzero"`
	Size            *int     `json:"body_byte_size,omitempty"`
	Verification    string   `json:"operator_verification,omitempty"`
	References      []string `json:"references,omitempty"` // those that change a state
	Source          string   `json:"source,omitempty"`     // the file it was written from, below the project root
	Record          *Record  `json:"record,omitempty"`
	Again           bool     `json:"again,omitempty"`           // the log has a document with this id
	Allowed         []string `json:"secrets_allowed,omitempty"` // the rules whose credentials it may have

	AlreadyMarked *bool  `json:"already_marked,omitempty"` // of a mark
	Signature     string `json:"signature,omitempty"`      // of Sign and Seal

	// of a turn
	Session string   `json:"session,omitempty"`
	Until   string   `json:"until,omitempty"` // the end of the lease, "" if it has none
	Of      []string `json:"of,omitempty"`    // the ids of the turns that it ends or renews
	Over    bool     `json:"over,omitempty"`  // a person takes over what somebody else holds
	Note    string   `json:"note,omitempty"`
	Nonce   string   `json:"nonce,omitempty"`

	// of Surface
	Surfaced *int     `json:"handoffs_surfaced,omitempty"`
	IDs      []string `json:"handoff_ids,omitzero"`
	Withheld []string `json:"withheld,omitzero"`

	// of Prune and Repair: ids of handoffs
	Removed []string `json:"removed,omitempty"`
	Moved   []string `json:"moved,omitempty"`
	Lost    []string `json:"lost,omitempty"`

	// of the store
	Rules       *Rules   `json:"rules,omitempty"`
	Fingerprint string   `json:"fingerprint,omitempty"`
	Writer      string   `json:"writer,omitempty"`
	Also        []string `json:"also,omitempty"` // fingerprints of the other machines that may change it
	Reason      string   `json:"reason,omitempty"`
	Kept        string   `json:"kept,omitempty"`
	Adopted     int      `json:"adopted,omitempty"`

	// of the exchange
	Log     string   `json:"log,omitempty"`
	End     string   `json:"end,omitempty"`
	Turns   []string `json:"turns,omitempty"`   // ids of turns, in the order of their log
	Through string   `json:"through,omitempty"` // a Point
	Audit   string   `json:"audit,omitempty"`
	Remote  string   `json:"remote,omitempty"`
	Missing []string `json:"missing,omitempty"`
	Events  []string `json:"events,omitempty"` // ids of events

	Here  *Here `json:"here,omitempty"`
	Batch []int `json:"batch,omitempty"` // set by Append
}

// A Record is what the log says about a handoff that is a structured record.
type Record struct {
	Kind  string `json:"kind"`
	Task  string `json:"task_id,omitempty"`
	Token string `json:"token_sha256,omitempty"` // the SHA-256 of the resume token
}

// Rules are the accepted rules of a store.
type Rules struct {
	Operators json.RawMessage `json:"operators"` // the frontmatter of OPERATORS.md as JSON
	Verify    bool            `json:"verify_operators"`
	Mode      string          `json:"schema_mode"`
}

// Here says how a received event came to this clone.
type Here struct {
	Log    string `json:"log,omitempty"`
	Bundle bool   `json:"bundle,omitempty"`
}

// A Pending is an event to append. Redacted names the rules by which content was redacted. Of a received event, Raw has
// the payload as it came, which may have members that we do not know; then only Here and Batch of Payload count.
type Pending struct {
	Type     string
	Payload  Payload
	Redacted []string
	Raw      json.RawMessage
}

// Line returns the exchanged line of the event that is appended.
func (p Pending) Line() ([]byte, error) {
	if p.Raw != nil {
		return strict.CanonicalOf(map[string]any{"event_type": p.Type, "payload": p.Raw})
	}
	p.Payload.Here, p.Payload.Batch = nil, nil
	return strict.CanonicalOf(map[string]any{"event_type": p.Type, "payload": p.Payload})
}

// ParseLine parses an exchanged line, without a newline, as an event to append. ok is false if it is not in RFC 8785
// form, or has the members here or batch.
func ParseLine(text []byte) (p Pending, ok bool) {
	var line struct {
		Type    json.RawMessage `json:"event_type"`
		Payload json.RawMessage `json:"payload"`
	}
	if strict.Decode(text, &line) != nil || strict.Decode(line.Type, &p.Type) != nil || p.Type == "" {
		return p, false
	}
	p.Raw = line.Payload
	if strict.Decode(line.Payload, &p.Payload) != nil || p.Payload.Here != nil || p.Payload.Batch != nil {
		return p, false
	}
	const rest = `{"event_type":,"payload":}` // other members would make the line longer
	canonical, err := strict.Canonicalize(text)
	return p, err == nil && bytes.Equal(canonical, text) && len(text) == len(rest)+len(line.Type)+len(line.Payload)
}

// IDOf returns the id of an event with an exchanged line.
func IDOf(line []byte) string { return strict.SHA256Hex(line) }

// An Event is a line of the log.
type Event struct {
	Type    string
	Payload Payload // zero if the payload has members of other types than ours
	Time    string  // when this clone logged it

	prev string
	raw  json.RawMessage // the payload
	text []byte          // the line without its newline
}

// layout is that of the times of events.
const layout = "2006-01-02T15:04:05.000000Z"

// Stamp returns a time as events state it, in microseconds.
func Stamp(t time.Time) string { return t.UTC().Format(layout) }

// line returns the line of an event after the hash prev, with its newline, and its hash.
func line(prev string, e Pending, at time.Time) (text []byte, hash string, err error) {
	var payload any = e.Payload
	if e.Raw != nil {
		var members map[string]json.RawMessage
		if err := strict.Decode(e.Raw, &members); err != nil {
			return nil, "", err
		}
		for name, value := range map[string]any{"here": e.Payload.Here, "batch": e.Payload.Batch} {
			if text := strict.Encode(value, ""); string(text) != "null" {
				members[name] = text
			}
		}
		payload = members
	}
	text, err = strict.CanonicalOf(map[string]any{"event_type": e.Type, "payload": payload, "prev_hash": prev,
		"primitive_id": "L6", "redaction_applied": e.Redacted, "schema_version": "1.1.0", "ts_utc": Stamp(at)})
	return append(text, '\n'), strict.SHA256Hex(text), err
}

// hashLine returns the hash of a line in its RFC 8785 form, without the members of a signature.
func hashLine(text []byte) string {
	var members map[string]json.RawMessage
	if strict.Decode(text, &members) != nil {
		return ""
	}
	delete(members, "signature")
	delete(members, "signing_key_id")
	canonical, err := strict.CanonicalOf(members)
	if err != nil {
		return ""
	}
	return strict.SHA256Hex(canonical)
}

// isHash reports whether a hash is that of a line: of its bytes, or of its RFC 8785 form, which are the same for lines
// that we wrote. No line has the hash Genesis.
func isHash(hash string, text []byte) bool {
	if text == nil {
		return hash == Genesis
	}
	return hash == strict.SHA256Hex(text) || hash == hashLine(text)
}

// isMarker reports whether a line belongs to another tool.
func isMarker(text []byte) bool { return len(text) > 0 && text[0] == '[' }

// parse parses a line. ok is false if it is no event.
func parse(text []byte) (e Event, ok bool) {
	var envelope struct {
		Type      string          `json:"event_type"`
		Payload   json.RawMessage `json:"payload"`
		Prev      string          `json:"prev_hash"`
		Primitive string          `json:"primitive_id"`
		Time      string          `json:"ts_utc"`
	}
	if len(text) == 0 || text[0] != '{' || strict.Decode(text, &envelope) != nil {
		return e, false
	}
	e = Event{Type: envelope.Type, Time: envelope.Time, prev: envelope.Prev, raw: envelope.Payload, text: text}
	if strict.Decode(e.raw, &e.Payload) != nil {
		e.Payload = Payload{}
	}
	return e, e.Type != "" && e.prev != "" && envelope.Primitive == "L6"
}

// part returns which line of its change an event is, and of how many.
func (e Event) part() (i, n int) {
	if b := e.Payload.Batch; len(b) == 2 && b[0] >= 1 && b[0] <= b[1] {
		return b[0], b[1]
	}
	return 1, 1
}

// Line returns the exchanged line of an event, without a newline.
func (e Event) Line() []byte {
	var payload any = e.raw
	if bytes.Contains(e.raw, []byte(`"batch":`)) || bytes.Contains(e.raw, []byte(`"here":`)) {
		var members map[string]json.RawMessage
		if strict.Decode(e.raw, &members) == nil {
			delete(members, "batch")
			delete(members, "here")
			payload = members
		}
	}
	text, err := strict.CanonicalOf(map[string]any{"event_type": e.Type, "payload": payload})
	if err != nil {
		return nil // another tool wrote it, and it has no RFC 8785 form: it stays here
	}
	return text
}

// Hash returns the hash of the line, "" if it has no RFC 8785 form.
func (e Event) Hash() string { return hashLine(e.text) }

// ID returns the id of an event: the SHA-256 of its exchanged line.
func (e Event) ID() string { return strict.SHA256Hex(e.Line()) }

// IsTurn reports whether events of a type are turns.
func IsTurn(kind string) bool {
	switch kind {
	case Take, Renew, Release, Done, Reopen, Withdraw, Resume:
		return true
	}
	return false
}
