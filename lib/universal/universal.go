// Package universal reads, validates, repairs and shows universal handoffs v3.0: one JSON object
// {"handoff": {…}} by which one skill hands its work to another. It needs no store.
//
//	{"handoff": {
//	  "version": "3.0", "schema_type": "universal", "timestamp": "2026-05-07T12:00:00Z", "trace_id": "…a UUID of version 4…",
//	  "source":  {"skill": "plan", "workflow_id": "uploads", "session_path": "/uploads/session", "phase": "planning"},
//	  "target":  {"skill": "build"},
//	  "context": {"summary": "Uploads are to be tried again.", "problem_type": "implementation"},
//	  "payload": {"working": {…}, "session": {…}, "references": {…}},
//	  "meta":    {"token_count": 300, "confidence": "high", "handoff_chain": ["plan"], "payload_hash": "sha256:…"},
//	  "tracing": {"events": […]}
//	}}
//
// Only working is required of the payload, tracing may be absent, and below the record's own keys
// objects are open.
//
// A Document is validated in three stages: its schema, its token budget, its semantics. All faults of
// a stage are reported together, each with its RFC 6901 pointer and its repair; a stage with faults
// ends the validation. Warnings are kept apart and never make a document invalid.
//
// Tokens are counted over the compact form, whatever the text looks like; a repaired or stored
// document keeps how its text is set out. Repair converts before it drops: times, names, words and
// shapes that are meant become those that are wanted. Make makes a document from what is said about
// it, Hop the next one of its chain.
//
// The payload is covered by meta.payload_hash: "sha256:" and the SHA-256 of the payload as compact
// JSON in the document's own key order, byte for byte what JSON.stringify(handoff.payload) gives in
// JavaScript.
//
// The fields that a repair knows are in fields.json, the form of a new document is in new.json.
//
// A document is untrusted text. Nothing here follows a reference in it, and no name or path from it
// chooses where something is written.
package universal

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// The version and type that this package reads, and the token budget of a whole document.
const (
	Version     = "3.0"
	SchemaType  = "universal"
	TokenBudget = 2000
)

// A Document is one parsed JSON text. It need not be valid.
type Document struct {
	root *jsontree.Value
	src  []byte
}

// Parse reads JSON strictly: no duplicate keys, no number that JavaScript would change, at most 5 MiB,
// 200 levels and 250,000 values. The error is a *fault.DocumentError with the line and column of the
// fault.
func Parse(src []byte) (*Document, error) {
	root, err := jsontree.Parse(src)
	if err != nil {
		return nil, err
	}
	return &Document{root: root, src: src}, nil
}

// Places of a document that several parts speak of.
const (
	versionPath    = "/handoff/version"
	hashPath       = "/handoff/meta/payload_hash"
	confidencePath = "/handoff/meta/confidence"
	sizePath       = "/handoff/meta/payload_size_bytes"
	countPath      = "/handoff/meta/token_count"
	chainPath      = "/handoff/meta/handoff_chain"
)

// Bytes returns the text that was parsed, or that of a repaired document, which is set out as the one
// that was parsed.
func (d *Document) Bytes() []byte { return d.src }

// JSON returns the document as compact JSON with its own key order. Optional fields that are null are
// left out; where that changes a payload whose hash was right, hash and size are made right again.
func (d *Document) JSON() []byte { return d.written().Append(nil) }

// Body returns the handoff body that carries the document: its view and its block, which has what JSON
// returns, set out as the text that was parsed.
func (d *Document) Body() (string, error) {
	text := form.Normal(d.written().AppendLike(nil, d.src))
	return fields.Build(d.View(), Kind, Version, text)
}

// Rehashed returns the document with payload_hash and payload_size_bytes computed anew, where it has
// them. Whoever calls it vouches for the payload.
func (d *Document) Rehashed() *Document {
	e := newEditor(d.root)
	if e.root.At(hashPath) != nil {
		e.set(hashPath, jsontree.NewString(e.before), "computed from the payload")
	}
	e.measure("the size of the payload")
	return d.edited(e)
}

// edited returns the document that the editor made of d.
func (d *Document) edited(e *editor) *Document {
	src := append(e.root.AppendLike(nil, d.src), '\n')
	if made, err := Parse(src); err == nil {
		return made // with places of its own, and shared with nobody
	}
	return &Document{root: e.root.Unplaced(), src: printed(e.root)} // larger than what is read: for a validation to say
}

// written returns the record as it is written.
func (d *Document) written() *jsontree.Value {
	if !holdsNull(d.root) {
		return d.root // nothing is left out
	}
	// A null counts as absent, so that leaving it out changes no meaning, only the bytes that the hash covers.
	e := newEditor(d.root)
	dropNulls(e)
	e.refresh()
	return e.root
}

// printed is the form of a document that was made here: compact, with a final newline.
func printed(v *jsontree.Value) []byte { return append(v.Append(nil), '\n') }

// PayloadHash returns the hash that meta.payload_hash must have, "" for a document without payload.
func (d *Document) PayloadHash() string { return payloadHash(d.root) }

// payloadHash hashes the bytes that JSON.stringify would give, so that writers in JavaScript need no library.
func payloadHash(root *jsontree.Value) string {
	payload := root.At("/handoff/payload")
	if payload == nil {
		return ""
	}
	return form.IDPrefix + jsontree.SHA256Hex(payload.Append(nil))
}

// Source returns source.skill, "" when it is absent.
func (d *Document) Source() string { return d.text("/handoff/source/skill") }

// Workflow returns source.workflow_id, "" when it is absent.
func (d *Document) Workflow() string { return d.text("/handoff/source/workflow_id") }

// Target returns target.skill, "" when it is absent.
func (d *Document) Target() string { return d.text("/handoff/target/skill") }

// TraceID returns trace_id, "" when it is absent.
func (d *Document) TraceID() string { return d.text("/handoff/trace_id") }

// Timestamp returns the instant of timestamp; false when it is absent or no instant.
func (d *Document) Timestamp() (time.Time, bool) { return instant(d.root.At("/handoff/timestamp")) }

// Head returns what the document says for the head of a handoff: its skills, its workflow and its time.
func (d *Document) Head() (from, to, topic, at string) {
	t, _ := d.Timestamp()
	return d.Source(), d.Target(), d.Workflow(), t.Format(time.RFC3339Nano)
}

// text returns the string at the pointer, "" when there is none. Lone surrogates become U+FFFD.
func (d *Document) text(pointer string) string { return textAt(d.root, pointer) }

// textAt is text for any tree.
func textAt(root *jsontree.Value, pointer string) string {
	return jsontree.Printable(root.At(pointer).Str())
}

// instant reads a time as the schema wants it: RFC 3339, upper-case T and Z, a day that exists.
func instant(v *jsontree.Value) (time.Time, bool) {
	return form.Instant(v.Str())
}

// Kind names the record in the body of a handoff, with Version after a slash.
const Kind = "universal"

// Facts returns what the document answers when it is checked like a resume packet: context.summary is
// the objective, context.known_gaps are what is unresolved, target.invocation is the next action.
// Completed work, assumptions, risks and a resume token have no field in a universal record.
func (d *Document) Facts() packet.Facts {
	f := Table().Facts(Kind+"/"+Version, d.root, packet.Required())
	f.Texts = packet.Passages([]byte(d.root.String()))
	return f
}
