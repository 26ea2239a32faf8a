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
// The fields are in fields.json, the form of the view in view.md.
//
// The rules about words (words.txt) know English best and are floors: a text of
// nothing but words that say nothing is refused, one that says little passes. What they find is for
// people to judge.
package packet

import (
	"bytes"
	_ "embed" // for the table of fields and the form of the view
	"encoding/json"
	"fmt"
	"sync"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// The name of the kind in the info string of its block.
const (
	Kind    = "packet"
	Version = "1"
	label   = Kind + "/" + Version
)

// A Record is one resume packet. Empty optional fields are left out of its JSON.
type Record struct {
	Objective   string   `json:"objective"`
	Completed   []string `json:"completed"`
	Unresolved  []string `json:"unresolved"`
	Assumptions []string `json:"assumptions"`
	NextAction  string   `json:"next_action"`
	Risks       []string `json:"risks"`
	UpdatedAt   string   `json:"updated_at"` // ISO 8601 with its offset, as written
	ResumeToken string   `json:"resume_token"`
	ExpiresAt   string   `json:"expires_at,omitempty"` // ISO 8601 with its offset
	Agent       string   `json:"agent,omitempty"`      // who wrote it
	Task        string   `json:"task,omitempty"`       // what it is about
	Extra       []Field  `json:"-"`                    // members that this package does not know, in their order
}

// A Field is a member of a packet that has no place in Record.
type Field struct {
	Name string
	JSON json.RawMessage // compact
}

// Table returns the fields of a packet.
var Table = sync.OnceValue(func() *fields.Table { return fields.Load(file, fields.Checks{"time": checkTime}, blank) })

//go:embed fields.json
var file []byte

// Required returns the names of the fields that every packet has.
func Required() []string { return Table().Needed() }

// JSON returns the record as indented JSON with a fixed order of fields. Parse gives the record back.
func (r Record) JSON() []byte {
	for _, list := range []*[]string{&r.Completed, &r.Unresolved, &r.Assumptions, &r.Risks} {
		*list = append([]string{}, *list...) // empty, and not null
	}
	text := bytes.TrimSuffix(jsontree.Encode(r, ""), []byte("}"))
	for _, f := range r.Extra {
		text = fmt.Appendf(text, ",%s:%s", jsontree.Encode(f.Name, ""), f.JSON)
	}
	text = append(text, '}')
	var indented bytes.Buffer
	if json.Indent(&indented, text, "", "  ") != nil {
		return text // an Extra that is not JSON
	}
	return indented.Bytes()
}

// View returns the record as Markdown for people. Its form is part of kind packet/1 and never changes:
// stored handoffs are verified against it.
func (r Record) View() string { return view(r) }

//go:embed view.md
var viewText string
var view = fields.View(viewText)

// Body returns the handoff body that carries the record: its view and its block.
func (r Record) Body() (string, error) {
	return fields.Build(r.View(), Kind, Version, r.JSON())
}

// Head returns what the record says for the head of a handoff: who wrote it, what it is about, and
// when. It is addressed to nobody.
func (r Record) Head() (from, to, topic, at string) { return r.Agent, "", r.Task, r.UpdatedAt }
