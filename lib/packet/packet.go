// Package packet reads resume packets and checks whether work can be resumed from them.
//
//	{
//	  "objective": "Retry failed uploads",
//	  "completed": ["Wrote the retry loop"],
//	  "unresolved": ["No blockers"],
//	  "assumptions": ["The server answers 429 when it is busy"],
//	  "next_action": "Measure it against the staging server",
//	  "risks": ["It may hide an outage"],
//	  "updated_at": "2026-05-07T12:00:00Z",
//	  "resume_token": "n7Yq0ZrT2b4"
//	}
//
// A packet (kind packet/1) is a JSON object with the fields of Record. All fields but Agent, Task and
// ExpiresAt are required and non-empty; a list that honestly has nothing says so in one entry. Fields
// that this package does not know are kept and shown, but never believed.
//
// Check answers one question, whether it is safe to go on from here, by four checks in a fixed order: Schema,
// Freshness, Resume token, Replay test. Their results make the Class. Nothing that a packet says can
// improve it; what tries to is reported and makes it worse. Other kinds are checked through Facts.
//
// The rules about words (words.go, claims.go, danger.go) know English and are floors: a text of
// nothing but words that say nothing is refused, one that says little passes. What they find is for
// people to judge.
package packet

import (
	"bytes"
	"encoding/json"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/recordblock"
)

// The name of the kind in the info string of its block.
const (
	Kind    = "packet"
	Version = "1"
)

// A Record is one resume packet.
type Record struct {
	Objective   string
	Completed   []string
	Unresolved  []string
	Assumptions []string
	NextAction  string
	Risks       []string
	UpdatedAt   string // ISO 8601 with its offset, as written
	ResumeToken string
	ExpiresAt   string  // ISO 8601 with its offset, "" for none
	Agent       string  // who wrote it, "" for not said
	Task        string  // what it is about, "" for not said
	Extra       []Field // members that this package does not know, in their order
}

// A Field is a member of a packet that has no place in Record.
type Field struct {
	Name string
	JSON json.RawMessage // compact
}

// JSON returns the record as indented JSON with a fixed order of fields. Parse gives the record back.
func (r Record) JSON() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, f := range fields {
		if f.optional && *f.text(&r) == "" {
			continue
		}
		if f.list != nil {
			writeMember(&b, f.name, jsontree.Encode(append([]string{}, *f.list(&r)...), ""))
		} else {
			writeMember(&b, f.name, jsontree.Encode(*f.text(&r), ""))
		}
	}
	for _, f := range r.Extra {
		writeMember(&b, f.Name, f.JSON)
	}
	b.WriteByte('}')
	var indented bytes.Buffer
	if err := json.Indent(&indented, b.Bytes(), "", "  "); err != nil {
		return b.Bytes() // an Extra that is not JSON
	}
	return indented.Bytes()
}

// writeMember writes a member by hand: a struct would not keep the members that this package does not
// know in their order.
func writeMember(b *bytes.Buffer, name string, value []byte) {
	if b.Len() > 1 {
		b.WriteByte(',')
	}
	b.Write(jsontree.Encode(name, ""))
	b.WriteByte(':')
	b.Write(value)
}

// Body returns the handoff body that carries the record: its view and its block.
func (r Record) Body() (string, error) {
	return recordblock.Build(r.View(), Kind, Version, r.JSON())
}

// Head returns what the record says for the head of a handoff: who wrote it, what it is about, and
// when. It is addressed to nobody.
func (r Record) Head() (from, to, topic, at string) { return r.Agent, "", r.Task, r.UpdatedAt }

// Required returns the names of the fields that every packet has.
func Required() []string {
	var names []string
	for _, f := range fields {
		if !f.optional {
			names = append(names, f.name)
		}
	}
	return names
}

// A field describes one member: its name and where its value lies. Either text or list is set.
type field struct {
	name     string
	optional bool
	text     func(*Record) *string
	list     func(*Record) *[]string
}

// fields is the table of a packet, in the order of its JSON. Reading, writing and the list of what is
// required follow it.
var fields = []field{
	{name: "objective", text: func(r *Record) *string { return &r.Objective }},
	{name: "completed", list: func(r *Record) *[]string { return &r.Completed }},
	{name: "unresolved", list: func(r *Record) *[]string { return &r.Unresolved }},
	{name: "assumptions", list: func(r *Record) *[]string { return &r.Assumptions }},
	{name: "next_action", text: func(r *Record) *string { return &r.NextAction }},
	{name: "risks", list: func(r *Record) *[]string { return &r.Risks }},
	{name: "updated_at", text: func(r *Record) *string { return &r.UpdatedAt }},
	{name: "resume_token", text: func(r *Record) *string { return &r.ResumeToken }},
	{name: "expires_at", optional: true, text: func(r *Record) *string { return &r.ExpiresAt }},
	{name: "agent", optional: true, text: func(r *Record) *string { return &r.Agent }},
	{name: "task", optional: true, text: func(r *Record) *string { return &r.Task }},
}
