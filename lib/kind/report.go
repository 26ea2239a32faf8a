package kind

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// SummaryOptions are the options of Summary.
type SummaryOptions struct {
	ASCII bool // no characters beyond ASCII
	Width int  // of a terminal, 0 for none
}

// The maximum number of quoted characters in one report, and in all together.
const maxQuoted, maxAllQuoted = 4_000, 18_000

// Summary returns the reports for people, with a table at the end if there are several. Text of an artifact stands in a
// frame after its report; the report itself quotes nothing.
func Summary(reports []Report, o SummaryOptions) string {
	var b strings.Builder
	room := max(min(maxQuoted, maxAllQuoted/max(len(reports), 1)), 100)
	for i, r := range reports {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(reports) > 1 {
			title := r.title(i, o.Width)
			fmt.Fprintf(&b, "%s\n%s\n", title, strings.Repeat("=", max(3, utf8.RuneCountInString(title))))
		}
		r.write(&b, room)
	}
	if len(reports) > 1 {
		b.WriteString("\n" + overview(reports, o.Width))
	}
	if o.ASCII {
		return form.ASCII(strings.NewReplacer("✅", "[ok]  ", "❌", "[FAIL]", "…", "...").Replace(b.String()))
	}
	return b.String()
}

// write writes one report. Its marks begin a line, where text of an artifact cannot get: its line breaks are escaped.
func (r Report) write(b *strings.Builder, room int) {
	b.WriteString("Check Summary:\n")
	for _, c := range r.Checks {
		fmt.Fprintf(b, "  %s %-14s %s\n", map[bool]string{true: "✅", false: "❌"}[c.Pass], c.Check+":", c.Reason)
	}
	for _, note := range r.Notes {
		b.WriteString("  Note: " + note + "\n")
	}
	class := r.Class.String()
	if r.Class == None {
		class += " (not a packet)"
	}
	b.WriteString("\nClassification: " + class + "\n\nRecovery Steps:")
	if len(r.Recovery) == 0 {
		b.WriteString(" None required.")
	}
	b.WriteString("\n")
	for i, step := range r.Recovery {
		fmt.Fprintf(b, "  %d. %s\n", i+1, step)
	}
	b.WriteString("\nEscalation: " + r.Escalation + "\n")
	lines := slices.Clone(r.Quotes)
	for _, f := range r.Faults {
		lines = append(lines, "Schema: "+f.String())
	}
	for _, c := range r.Compared {
		lines = append(lines, c.Question+", in the packet: "+c.Packet, c.Question+", as answered:   "+c.Answer)
	}
	if len(lines) > 0 {
		b.WriteString("\nQuoted by the report:\n" + r.frame(room).Wrap(strings.Join(lines, "\n")).Text)
	}
}

// title returns the name of an artifact, or its number if the name cannot stand outside of a frame.
func (r Report) title(i, width int) string {
	if width > 0 || isSafe(r.Name) {
		return cut(r.Name, 80)
	}
	return fmt.Sprint("Report ", i+1)
}

// overview returns the table of several reports.
func overview(reports []Report, width int) string {
	rows := make([][]string, len(reports))
	for i, r := range reports {
		age, reasons := "-", []string{}
		if r.AgeSeconds != nil && *r.AgeSeconds >= 0 {
			age = fmt.Sprintf("%d h", *r.AgeSeconds/3600)
		}
		for _, c := range r.Checks {
			if !c.Pass {
				reasons = append(reasons, c.Check+": "+c.Reason)
			}
		}
		rows[i] = []string{r.Class.String(), age, r.title(i, width), cut(strings.Join(reasons, "; "), 120)}
	}
	return "At a glance:\n" + form.Table(width, []string{"CLASS", "AGE", "NAME", "REASON"}, rows) +
		fmt.Sprintf("\n%d checked, worst: %s\n", len(reports), Worst(reports))
}

// Worst returns the worst class of the reports.
func Worst(reports []Report) (worst Class) {
	for _, r := range reports {
		worst = max(worst, r.Class)
	}
	return worst
}
