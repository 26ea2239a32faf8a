package universal

import (
	_ "embed" // for the forms of the texts
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
)

// Prompt returns a text that asks a language model to fix a document. frame marks the document and the faults,
// which quote it, as untrusted; no text of them is outside of a frame.
func Prompt(document []byte, faults []fault.Fault, frame func(text string) string) string {
	list := make([]string, 0, len(faults))
	for _, f := range fault.Bounded(faults) {
		list = append(list, fmt.Sprintf("%d. %s", len(list)+1, f))
	}
	return prompt(struct{ Faults, Document string }{frame(strings.Join(list, "\n")),
		frame(strings.TrimRight(string(document), "\n"))})
}

//go:embed prompt.txt
var promptText string
var prompt = fields.View(promptText)

// FaultLines returns the faults, a line each.
func (r Report) FaultLines() []string { return fault.Lines(r.Faults, fault.Fault.String) }

// WarningLines returns the warnings, a line each.
func (r Report) WarningLines() []string { return fault.Lines(r.Warnings, fault.Fault.String) }
