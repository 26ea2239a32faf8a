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
// A packet (kind packet/1) is a JSON object with the fields of Record. All fields except Agent, Task and
// ExpiresAt are required and non-empty. If there is nothing to list, a list says so in one entry. Unknown fields
// are kept and shown, but have no effect.
//
// Check answers one question: can work continue from this packet? It runs four checks in a fixed order: Schema,
// Freshness, Resume token, Replay test. Their results determine the Class. Nothing in a packet can improve the
// Class; dangerous instructions make it worse. Other kinds are checked through Facts.
//
// The fields are defined in fields.json, the view in view.md.
//
// Phrases that answer nothing are in phrases.txt. The check compares texts with them, and does not judge what a text
// means: a vague one passes.
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

// The name and version of the kind in the info string of its block.
const (
	Kind    = "packet"
	Version = "1"
	label   = Kind + "/" + Version
)

// A Record is one resume packet. Its JSON omits empty optional fields.
type Record struct {
	Objective   string   `json:"objective"`
	Completed   []string `json:"completed"`
	Unresolved  []string `json:"unresolved"`
	Assumptions []string `json:"assumptions"`
	NextAction  string   `json:"next_action"`
	Risks       []string `json:"risks"`
	UpdatedAt   string   `json:"updated_at"` // ISO 8601 with offset, as written
	ResumeToken string   `json:"resume_token"`
	ExpiresAt   string   `json:"expires_at,omitempty"` // ISO 8601 with offset
	Agent       string   `json:"agent,omitempty"`      // the writer
	Task        string   `json:"task,omitempty"`       // the topic
	Extra       []Field  `json:"-"`                    // unknown members, in their order
}

// A Field is an unknown member of a packet.
type Field struct {
	Name string
	JSON json.RawMessage // compact
}

// Table returns the fields of a packet.
var Table = sync.OnceValue(func() *fields.Table { return fields.Load(file, fields.Checks{"time": checkTime}, blank) })

//go:embed fields.json
var file []byte

// Required returns the names of the required fields.
func Required() []string { return Table().Needed() }

// JSON returns the record as indented JSON in a fixed order of fields. Parse restores the record.
func (r Record) JSON() []byte {
	for _, list := range []*[]string{&r.Completed, &r.Unresolved, &r.Assumptions, &r.Risks} {
		*list = append([]string{}, *list...) // [] instead of null
	}
	text := bytes.TrimSuffix(jsontree.Encode(r, ""), []byte("}"))
	for _, f := range r.Extra {
		text = fmt.Appendf(text, ",%s:%s", jsontree.Encode(f.Name, ""), f.JSON)
	}
	text = append(text, '}')
	var indented bytes.Buffer
	if json.Indent(&indented, text, "", "  ") != nil {
		return text // an Extra is not JSON
	}
	return indented.Bytes()
}

// View returns the record as Markdown for people. Its form is part of kind packet/1 and never changes, since
// stored handoffs are verified against it.
func (r Record) View() string { return view(r) }

//go:embed view.md
var viewText string
var view = fields.View(viewText)

// Body returns the body of a handoff with the record: its view and its block.
func (r Record) Body() string {
	return fields.Build(r.View(), Kind, Version, r.JSON())
}

// Head returns the values for the frontmatter of a handoff: the writer, the topic and the time. A packet has no
// recipient.
func (r Record) Head() (from, to, topic, at string) { return r.Agent, "", r.Task, r.UpdatedAt }
