package record

import (
	_ "embed" // for the form of a brief
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// A Brief is what an operator needs before the first step, in the words of the handoff. Each field can be empty.
type Brief struct {
	NextAction  string   `json:"next_action"`
	Objective   string   `json:"objective,omitempty"`
	Unresolved  []string `json:"unresolved,omitempty"`
	Completed   []string `json:"completed,omitempty"`
	Assumptions []string `json:"assumptions,omitempty"`
	Risks       []string `json:"risks,omitempty"`
}

// briefOf returns the brief of some facts.
func briefOf(f packet.Facts) Brief {
	return Brief{f.NextAction, f.Objective, f.Unresolved, f.Completed, f.Assumptions, f.Risks}
}

//go:embed brief.txt
var briefText string
var brief = fields.View(briefText)

// framed returns the brief in a frame that names the handoff by the start of its id: an agent pays for each digit. The
// next action is first, since the end can be cut off.
func (b Brief) framed(id string) string {
	text := brief(b)
	of := handoff.Stored{Document: handoff.Document{Body: text}}
	of.Entry.ID = short(id)
	framed, _ := handoff.Framed(of, handoff.Frame{MaxChars: handoff.DefaultSurfaceMaxChars})
	switch {
	case text == "":
		return "The handoff has no next action: read it.\n"
	case b.NextAction == "":
		return "The handoff has no next action: read it. The rest of its packet:\n" + framed
	}
	return "The next action, in the words of the handoff:\n" + framed
}

// short returns the first 12 digits of an id.
func short(id string) string { return fmt.Sprintf("%.12s", strings.TrimPrefix(id, "sha256:")) }
