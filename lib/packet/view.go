package packet

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/recordblock"
)

// View returns the record as Markdown for people. Its form is part of kind packet/1 and never changes:
// stored handoffs are verified against it.
func (r Record) View() string {
	var b strings.Builder
	b.WriteString("# Resume packet\n\n")
	line(&b, "Objective", r.Objective)
	line(&b, "Next action", r.NextAction)
	section(&b, "Completed", r.Completed)
	section(&b, "Unresolved", r.Unresolved)
	section(&b, "Assumptions", r.Assumptions)
	section(&b, "Risks", r.Risks)
	b.WriteString("\n## Packet\n\n")
	for _, f := range []struct{ label, text string }{
		{"Updated at", r.UpdatedAt}, {"Expires at", r.ExpiresAt}, {"Resume token", r.ResumeToken}, {"Agent", r.Agent}, {"Task", r.Task},
	} {
		line(&b, f.label, f.text)
	}
	for _, f := range r.Extra {
		line(&b, f.Name, string(f.JSON))
	}
	return b.String()
}

// line writes a field, unless it is empty.
func line(b *strings.Builder, label, text string) {
	if text != "" {
		b.WriteString("- **" + recordblock.Text(label) + ":** " + recordblock.Text(text) + "\n")
	}
}

// section writes a list. One that is empty is shown as such: that it was allowed is no reason to hide it.
func section(b *strings.Builder, title string, items []string) {
	b.WriteString("\n## " + title + "\n\n")
	if len(items) == 0 {
		b.WriteString("(empty)\n")
	}
	for _, item := range items {
		b.WriteString("- " + recordblock.Text(item) + "\n")
	}
}
