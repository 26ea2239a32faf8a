package packet

import (
	"cmp"
	_ "embed" // for the form of a report
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

// advise writes what to do, from the class alone.
func (c *checking) advise() {
	r := &c.report
	switch {
	case r.Class == Clean && r.Has(Danger):
		r.Escalation = "Ask the owner of the task whether the dangerous step is wanted, and do it only on their word."
	case r.Class == Clean:
		r.Escalation = "None needed, it is safe to resume."
	case r.Class == Operational:
		r.Escalation = "Ask the owner of the task to mend or confirm the packet before anyone resumes."
	default:
		r.Escalation = "Tell the owner of the task now; do not resume from this artifact."
	}
	if r.Class != Clean && len(r.Recovery) == 0 {
		c.step("Look into the notes above with the sender.")
	}
}

// TextOptions say how Text writes.
type TextOptions struct {
	ASCII bool // the marks and all other characters beyond ASCII are written in ASCII
	Names bool // for people: the name of each artifact stands over its report, not only in its frame
}

// Characters that the quotations of one report have, and those of all together.
const (
	maxQuoted    = 4_000
	maxAllQuoted = 18_000
)

// Text returns the reports as they are read, and for several a table at the end. What an artifact says
// stands in a frame after its report, which is in our own words. It fails only if no boundary for a
// frame can be drawn.
func Text(reports []Report, o TextOptions) (string, error) {
	var b strings.Builder
	room := max(min(maxQuoted, maxAllQuoted/max(len(reports), 1)), 100)
	for i, r := range reports {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(reports) > 1 {
			title := fmt.Sprintf("Report %d of %d", i+1, len(reports))
			if o.Names {
				title = cut(r.Name)
			} else if isSafe(r.Name) {
				title += ": " + r.Name
			}
			fmt.Fprintf(&b, "%s\n%s\n", title, strings.Repeat("=", max(3, min(80, utf8.RuneCountInString(title)))))
		}
		b.WriteString(summary(r))
		if err := errors.Join(r.quote(&b, room), r.printed(&b, room)); err != nil {
			return "", err
		}
	}
	if len(reports) > 1 {
		b.WriteString("\n" + overview(reports, o.Names))
	}
	if o.ASCII {
		return toASCII(b.String()), nil
	}
	return b.String(), nil
}

// summary is a report in our own words. Its marks stand at the beginning of a line, where no text of a packet comes to
// stand: its line breaks are escaped. Scripts read its form, too; the tests hold it byte by byte.
var summary = fields.View(reportText)

//go:embed report.txt
var reportText string

// Ours returns the reason without what it quotes.
func (r Result) Ours() string { return r.own }

// Has reports whether the artifact has a claim about something.
func (r Report) Has(about About) bool {
	return slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.About == about })
}

// quote writes what the report quotes, in a frame; nothing if it quotes nothing.
func (r Report) quote(b *strings.Builder, room int) error {
	var lines []string
	for _, c := range r.Checks {
		if !c.Pass && c.Reason != c.own {
			lines = append(lines, c.Check+": "+c.Reason)
		}
	}
	for _, f := range r.Faults {
		lines = append(lines, Schema+": "+f.String())
	}
	for _, c := range r.Compared {
		lines = append(lines, c.Question+", in the packet: "+c.Packet, c.Question+", as answered:   "+c.Answer)
	}
	for _, c := range r.Claims {
		lines = append(lines, cmp.Or(c.Pointer, "the text")+" "+c.About.says()+": "+c.Text)
	}
	if len(lines) == 0 {
		return nil
	}
	frame := form.Frame{Path: filepath.Base(r.Name), Max: room}
	if form.IsID(r.Name) {
		frame.Path, frame.ID = "", r.Name
	}
	framed, err := frame.Wrap(strings.Join(lines, "\n"))
	b.WriteString("\nWhat the report quotes:\n" + framed.Text)
	return err
}

// always are the checks that every report has, in their order, with their columns in a table;
// sometimes those that some have.
var (
	always    = []string{"SCHEMA", "FRESHNESS", "TOKEN", "REPLAY"}
	sometimes = []string{StandingCheck, WorkCheck, Probes}
)

// isSafe reports whether a name can stand outside of a frame: it has no spaces, and nothing that means anything to a
// terminal or to Markdown.
func isSafe(name string) bool {
	const also = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:"
	return name != "" && len(name) <= 80 && strings.Trim(name, also) == ""
}

// overview is the table that says at a glance which packets can be resumed.
func overview(reports []Report, names bool) string {
	rows := make([][]string, 0, len(reports))
	header := append([]string{"CLASS"}, always...)
	var more []string
	for _, check := range sometimes {
		if slices.ContainsFunc(reports, func(r Report) bool { return r.result(check) != "-" }) {
			more = append(more, check)
			header = append(header, strings.ToUpper(check))
		}
	}
	for i, r := range reports {
		row, name := []string{r.Class.String()}, fmt.Sprint(i+1)
		if names || isSafe(r.Name) {
			name = cut(r.Name)
		}
		for _, check := range append([]string{Schema, Freshness, Token, Replay}, more...) {
			row = append(row, r.result(check))
		}
		age := "-"
		if r.AgeSeconds != nil && *r.AgeSeconds >= 0 {
			age = fmt.Sprintf("%d h", *r.AgeSeconds/3600)
		}
		rows = append(rows, append(row, age, name, r.why()))
	}
	table := form.Table(0, append(header, "AGE", "NAME", "REASON"), rows)
	return "At a glance:\n" + table + fmt.Sprintf("\n%d checked, worst: %s\n", len(reports), Worst(reports))
}

// result is the outcome of a check in a table.
func (r Report) result(check string) string {
	for _, c := range r.Checks {
		if c.Check == check {
			return map[bool]string{true: "pass", false: "FAIL"}[c.Pass]
		}
	}
	return "-"
}

// why says in our own words what makes the report worse than clean, the worst first; "" if nothing does.
func (r Report) why() string {
	var all []string
	for _, c := range r.Checks {
		if !c.Pass && c.own != notChecked && (r.Consumed == nil || c.Check == Token) { // that makes it critical, whatever else fails
			all = append(all, c.Check+": "+c.own)
		}
	}
	for _, c := range r.Claims[:min(1, len(r.Claims))] {
		all = append(all, "text that "+c.About.says())
	}
	return cutTo(strings.Join(all, "; "), 120)
}

// show makes text from an artifact fit for one line of a report: no credential goes along.
func show(text string) string { return form.EscapeLine(redacted(text)) }

// quote is show with quotes, cut.
func quote(text string) string { return `"` + show(cut(redacted(text))) + `"` }

// long is show for what is compared word by word.
func long(text string) string { return show(cutTo(redacted(text), 500)) }

// redacted is for what is cut afterwards: half of a credential looks like none.
func redacted(text string) string { return secrets.Redact(text, secrets.Scan(text)) }

// cut returns text in the length that a report has room for.
func cut(text string) string { return cutTo(text, 80) }

// cutTo returns at most so many characters of a text.
func cutTo(text string, room int) string {
	if runes := []rune(text); len(runes) > room {
		text = string(runes[:room-1]) + "…"
	}
	return text
}

// toASCII writes a report for terminals and logs that have nothing else.
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
