package packet

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/render"
)

// advise writes what to do, from the class alone.
func (c *checking) advise() {
	r := &c.report
	switch r.Class {
	case Clean:
		r.Escalation = "None needed, it is safe to resume."
	case Operational:
		r.Escalation = "Ask the owner of the task to mend or confirm the packet before anyone resumes."
	case Critical:
		r.Escalation = "Tell the owner of the task now; do not resume from this artifact."
	}
	if r.Class != Clean && len(r.Recovery) == 0 {
		c.step("Look into the notes above with the sender.")
	}
}

// Text returns the reports as a person reads them, and for several a table at the end. With ascii, the
// marks and all other characters beyond ASCII are written in ASCII.
func Text(reports []Report, ascii bool) string {
	var b strings.Builder
	for i, r := range reports {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(reports) > 1 {
			fmt.Fprintf(&b, "%s\n%s\n", r.Name, strings.Repeat("=", max(3, min(80, utf8.RuneCountInString(r.Name)))))
		}
		r.write(&b)
	}
	if len(reports) > 1 {
		b.WriteString("\n" + overview(reports))
	}
	if ascii {
		return toASCII(b.String())
	}
	return b.String()
}

var marks = map[bool]string{true: "✅", false: "❌"}

func (r Report) write(b *strings.Builder) {
	b.WriteString("Check Summary:\n")
	for _, c := range r.Checks {
		fmt.Fprintf(b, "  %s %-14s %s\n", marks[c.Pass], c.Check+":", c.Reason)
		if c.Check == Schema {
			for _, f := range r.Faults {
				b.WriteString("       - " + f.String() + "\n")
			}
		}
	}
	for _, c := range r.Claims {
		fmt.Fprintf(b, "  ❌ %-14s %s claims authority over this check: %s\n", "Content:", cmp.Or(c.Pointer, "the text"), c.Text)
	}
	for _, n := range r.Notes {
		b.WriteString("  Note: " + n + "\n")
	}
	fmt.Fprintf(b, "\nClassification: %s\n\nRecovery Steps:", r.Class)
	if len(r.Recovery) == 0 {
		b.WriteString(" None required.\n")
	} else {
		b.WriteString("\n")
	}
	for i, s := range r.Recovery {
		fmt.Fprintf(b, "  %d. %s\n", i+1, s)
	}
	fmt.Fprintf(b, "\nEscalation: %s\n", r.Escalation)
}

// overview is the table that says at a glance which packets can be resumed.
func overview(reports []Report) string {
	rows := make([][]string, 0, len(reports))
	for _, r := range reports {
		row := []string{r.Class.String()}
		for _, c := range r.Checks {
			row = append(row, map[bool]string{true: "pass", false: "FAIL"}[c.Pass])
		}
		age := "-"
		if r.AgeSeconds != nil && *r.AgeSeconds >= 0 {
			age = fmt.Sprintf("%d h", *r.AgeSeconds/3600)
		}
		rows = append(rows, append(row, age, r.Name))
	}
	table := render.Table(0, []string{"CLASS", "SCHEMA", "FRESHNESS", "TOKEN", "REPLAY", "AGE", "NAME"}, rows)
	return "At a glance:\n" + table + fmt.Sprintf("\n%d checked, worst: %s\n", len(reports), Worst(reports))
}

// show makes text from an artifact fit for one line of a report.
func show(text string) string { return render.EscapeLine(text) }

// quote is show with quotes, cut to the length that a report has room for.
func quote(text string) string {
	const room = 80
	if cut := []rune(text); len(cut) > room {
		text = string(cut[:room-1]) + "…"
	}
	return `"` + show(text) + `"`
}

func toASCII(text string) string {
	var b strings.Builder
	for _, r := range strings.NewReplacer("✅", "[ok]  ", "❌", "[FAIL]", "…", "...").Replace(text) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}
