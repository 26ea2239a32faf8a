// Package universal reads, validates, repairs and shows universal handoffs v3.0. A universal handoff is a JSON
// object {"handoff": {…}} by which one skill hands its work to another. The package needs no store.
//
//	{"handoff": {
//	  "version": "3.0", "schema_type": "universal", "timestamp": "2026-05-07T12:00:00Z", "trace_id": "…UUID v4…",
//	  "source":  {"skill": "plan", "workflow_id": "uploads", "session_path": "/uploads/session", "phase": "planning"},
//	  "target":  {"skill": "build"},
//	  "context": {"summary": "Uploads are to be tried again.", "problem_type": "implementation"},
//	  "payload": {"working": {…}, "session": {…}, "references": {…}},
//	  "meta":    {"token_count": 300, "confidence": "high", "handoff_chain": ["plan"], "payload_hash": "sha256:…"},
//	  "tracing": {"events": […]}
//	}}
//
// The payload needs only working, and tracing can be absent. Objects below the named keys are open.
//
// A Document is validated in three stages: schema, token budget, semantics. All faults of a stage are reported
// together, each with its RFC 6901 pointer and a hint. A stage with faults ends the validation. Warnings are
// separate and never make a document invalid.
//
// Tokens are counted over the compact form. A repaired or stored document keeps the layout of its text. Repair
// converts values before it removes any: it recognizes other forms of times, names, words and objects. Make makes
// a new document, Hop the next one of a chain.
//
// meta.payload_hash covers the payload: it is "sha256:" and the SHA-256 of the payload as compact JSON in the
// document's own key order. These bytes are what JSON.stringify(handoff.payload) returns in JavaScript.
//
// The fields that a repair knows are in fields.json; new.json is the form of a new document.
//
// A document is untrusted text. Nothing here follows a reference in it, and no name or path in it determines
// where a file is written.
package universal

import (
	"bytes"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// The version that this package reads, and the token budget of a whole document.
const (
	Version     = "3.0"
	TokenBudget = 2000
)

// A Document is a parsed JSON text. It can be invalid.
type Document struct {
	root *jsontree.Value
	src  []byte
}

// Parse reads JSON strictly: no duplicate keys, no number that JavaScript would change, at most 5 MiB, 200 levels
// and 250,000 values. The error is a *fault.DocumentError with line and column.
func Parse(src []byte) (*Document, error) {
	root, err := jsontree.Parse(src)
	if err != nil {
		return nil, err
	}
	return &Document{root: root, src: src}, nil
}

// Places of a document that several files use.
const (
	versionPath    = "/handoff/version"
	hashPath       = "/handoff/meta/payload_hash"
	confidencePath = "/handoff/meta/confidence"
	sizePath       = "/handoff/meta/payload_size_bytes"
	countPath      = "/handoff/meta/token_count"
	chainPath      = "/handoff/meta/handoff_chain"
)

// Bytes returns the parsed text. A repaired document has the layout of the original.
func (d *Document) Bytes() []byte { return d.src }

// JSON returns the document as compact JSON in its own key order. It omits optional fields that are null. If that
// changes a payload with a correct hash, it updates hash and size.
func (d *Document) JSON() []byte { return d.written().Append(nil) }

// Body returns the body of a handoff with the document: its view and its block. The block contains the result of
// JSON in the layout of the parsed text.
func (d *Document) Body() string {
	text := bytes.TrimSpace(form.Normal(d.written().OnLines(d.src)))
	return fields.Build(d.View(), Kind, Version, text)
}

// Rehashed returns the document with payload_hash and payload_size_bytes computed again, if they exist. The
// caller vouches for the payload.
func (d *Document) Rehashed() *Document {
	e := newEditor(d.root)
	if e.root.At(hashPath) != nil {
		e.set(hashPath, e.before, "computed from the payload")
	}
	e.measure("the size of the payload")
	return d.edited(e)
}

// edited returns the document in the editor.
func (d *Document) edited(e *editor) *Document {
	if made, err := Parse(e.root.OnLines(d.src)); err == nil {
		return made // it has its own places, and is not shared
	}
	return &Document{root: e.root.Unplaced(), src: printed(e.root)} // too large to parse: validation reports that
}

// written returns the record in the form to be stored.
func (d *Document) written() *jsontree.Value {
	// A null counts as absent. Omitting it changes only the bytes that the hash covers.
	e := newEditor(d.root)
	if dropNulls(e); len(e.patch) == 0 {
		return d.root
	}
	e.refresh()
	return e.root
}

// printed returns a new document as text: compact, with a final newline.
func printed(v *jsontree.Value) []byte { return append(v.Append(nil), '\n') }

// PayloadHash returns the hash that meta.payload_hash must have, or "" for a document without payload.
func (d *Document) PayloadHash() string { return payloadHash(d.root) }

// payloadHash hashes the result of JSON.stringify, so that writers in JavaScript need no library.
func payloadHash(root *jsontree.Value) string {
	payload := root.At("/handoff/payload")
	if payload == nil {
		return ""
	}
	return form.IDPrefix + jsontree.SHA256Hex(payload.Append(nil))
}

// Source returns source.skill, or "".
func (d *Document) Source() string { return d.text("/handoff/source/skill") }

// Workflow returns source.workflow_id, or "".
func (d *Document) Workflow() string { return d.text("/handoff/source/workflow_id") }

// Target returns target.skill, or "".
func (d *Document) Target() string { return d.text("/handoff/target/skill") }

// Timestamp returns the instant of timestamp, or false if it is absent or invalid.
func (d *Document) Timestamp() (time.Time, bool) { return instant(d.root.At("/handoff/timestamp")) }

// Head returns the values for the frontmatter of a handoff: its skills, its workflow and its time.
func (d *Document) Head() (from, to, topic, at string) {
	t, _ := d.Timestamp()
	return d.Source(), d.Target(), d.Workflow(), t.Format(time.RFC3339Nano)
}

// text returns the string at the pointer, or "".
func (d *Document) text(pointer string) string { return textAt(d.root, pointer) }

// textAt returns the string at the pointer of any tree, or "".
func textAt(root *jsontree.Value, pointer string) string {
	return root.At(pointer).Str()
}

// instant reads a time in the form of the schema: RFC 3339, upper-case T and Z, a day that exists.
func instant(v *jsontree.Value) (time.Time, bool) {
	return form.Instant(v.Str())
}

// Kind is the name of the kind in the info string of its block; Version follows after a slash.
const Kind = "universal"

// Facts returns the facts for resuming: context.summary is the objective, context.known_gaps is unresolved,
// target.invocation is the next action. A universal record has no field for completed work, assumptions, risks
// and a resume token.
func (d *Document) Facts() packet.Facts {
	f := Table().Facts(Kind+"/"+Version, d.root, packet.Required())
	f.Texts = packet.Passages([]byte(d.root.String()))
	return f
}
