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
// Tokens are a quarter of the characters of the compact form. Repair adds defaults, converts types, compresses the
// document, and guesses nothing. Make makes a new document.
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
	"encoding/json"
	"strconv"
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
	versionPath = "/handoff/version"
	tracePath   = "/handoff/trace_id"
	hashPath    = "/handoff/meta/payload_hash"
	countPath   = "/handoff/meta/token_count"
	chainPath   = "/handoff/meta/handoff_chain"
)

// Bytes returns the parsed text.
func (d *Document) Bytes() []byte { return d.src }

// JSON returns the document as compact JSON in its own key order.
func (d *Document) JSON() []byte { return d.root.Append(nil) }

// Body returns the body of a handoff with the document: its view and its block with the parsed text.
func (d *Document) Body() string {
	text := bytes.TrimSpace(form.Normal(bytes.TrimPrefix(d.src, []byte("\ufeff"))))
	return fields.Build(d.View(), Kind, Version, text)
}

// Rehashed returns the document with payload_hash computed again, if it exists. The caller vouches for the payload.
func (d *Document) Rehashed() *Document {
	root := d.root.Clone()
	if root.At(hashPath) != nil {
		set(root, hashPath, payloadHash(root))
	}
	return &Document{root: root, src: indented(root)}
}

// set sets a member, or the item of a list that is there.
func set(root *jsontree.Value, pointer string, value any) {
	holder := root.At(above(pointer))
	if i, err := strconv.Atoi(last(pointer)); err == nil && holder.Is(jsontree.Array) {
		holder.Items[i] = jsontree.New(value)
	} else if holder.Is(jsontree.Object) {
		holder.Set(last(pointer), value)
	}
}

// indented returns a document as text.
func indented(v *jsontree.Value) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, v.Append(nil), "", "  ") // it is JSON
	return append(b.Bytes(), '\n')
}

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
func (d *Document) Timestamp() (time.Time, bool) { return form.Instant(d.text("/handoff/timestamp")) }

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
