package record

import (
	_ "embed" // for the form of a brief

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// A Brief is what whoever takes work over has to know before the first step, as the handoff says it.
// What it does not say is empty.
type Brief struct {
	NextAction  string   `json:"next_action"`
	Objective   string   `json:"objective,omitempty"`
	Unresolved  []string `json:"unresolved,omitempty"`
	Completed   []string `json:"completed,omitempty"`
	Assumptions []string `json:"assumptions,omitempty"`
	Risks       []string `json:"risks,omitempty"`
}

// briefOf is what a resuming side needs to know first.
func briefOf(f packet.Facts) Brief {
	return Brief{f.NextAction, f.Objective, f.Unresolved, f.Completed, f.Assumptions, f.Risks}
}

//go:embed brief.txt
var briefText string
var brief = fields.View(briefText)

// framed returns the brief in a frame, the next action first: what comes last may be cut.
func (b Brief) framed(id string) string {
	text := brief(b)
	of := handoff.Stored{Document: handoff.Document{Body: text}}
	of.Entry.ID = id
	framed, _, err := handoff.Framed(of, handoff.Frame{MaxChars: handoff.DefaultSurfaceMaxChars})
	switch {
	case err != nil || text == "":
		return "The handoff does not say what is next: read it.\n"
	case b.NextAction == "":
		return "The handoff does not say what is next: read it. What it says beside:\n" + framed
	}
	return "What is next, as the handoff says:\n" + framed
}
