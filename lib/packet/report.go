package packet

import (
	_ "embed" // for the form of a report
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/secrets"
)

// advise sets the escalation. It depends on the class only.
func (c *checking) advise() {
	r := &c.report
	switch {
	case r.Class == Clean:
		r.Escalation = "None needed, it is safe to resume."
	case r.Class == Operational:
		r.Escalation = "Ask the owner of the task to fix or confirm the packet before anyone resumes."
	default:
		r.Escalation = "Tell the owner of the task now; do not resume from this artifact."
	}
	if r.Class != Clean && len(r.Recovery) == 0 {
		c.step("Ask the sender about the notes above.")
	}
}

// TextOptions are the options of Text.
type TextOptions struct {
	ASCII bool // write marks and all other characters beyond ASCII in ASCII
	Width int  // of a terminal: the table fits it, and the name of each artifact is above its report
}

// The maximum number of quoted characters in one report, and in all together.
const (
	maxQuoted    = 4_000
	maxAllQuoted = 18_000
)

// Text returns the reports for reading, with a table at the end if there are several. Text of an artifact is in a
// frame after its report; the report itself quotes nothing.
func Text(reports []Report, o TextOptions) string {
	var b strings.Builder
	room := max(min(maxQuoted, maxAllQuoted/max(len(reports), 1)), 100)
	for i, r := range reports {
		if i > 0 {
			b.WriteString("\n")
		}
		if len(reports) > 1 {
			title := fmt.Sprintf("Report %d of %d", i+1, len(reports))
			if o.Width > 0 {
				title = cut(r.Name)
			} else if isSafe(r.Name) {
				title += ": " + r.Name
			}
			fmt.Fprintf(&b, "%s\n%s\n", title, strings.Repeat("=", max(3, min(80, utf8.RuneCountInString(title)))))
		}
		b.WriteString(summary(r))
		r.quote(&b, room)
	}
	if len(reports) > 1 {
		b.WriteString("\n" + overview(reports, o.Width))
	}
	if o.ASCII {
		return form.ASCII(toASCII.Replace(b.String()))
	}
	return b.String()
}

// summary is a report without quoted text. Its marks begin a line, where text of a packet cannot get: its line
// breaks are escaped. Scripts read this form; tests compare it byte by byte.
var summary = fields.View(reportText)

//go:embed report.txt
var reportText string

// Ours returns the reason without quoted text.
func (r Result) Ours() string { return r.own }

// quote writes the quoted text of the report in a frame, if there is any.
func (r Report) quote(b *strings.Builder, room int) {
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
	if len(lines) == 0 {
		return
	}
	frame := form.Frame{Path: filepath.Base(r.Name), Max: room}
	if form.IsID(r.Name) {
		frame.Path, frame.ID = "", r.Name
	}
	b.WriteString("\nQuoted by the report:\n" + frame.Wrap(strings.Join(lines, "\n")).Text)
}

// always are the checks of every report, in their order, with their columns in the table. sometimes are the
// others.
var (
	fixedChecks    = []string{"SCHEMA", "FRESHNESS", "TOKEN", "REPLAY"}
	optionalChecks = []string{StandingCheck, WorkCheck, Instructions}
)

// isSafe reports whether a name can be printed outside of a frame: it has no spaces, and no special character of
// a terminal or Markdown.
func isSafe(name string) bool {
	const also = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:"
	return name != "" && len(name) <= 80 && strings.Trim(name, also) == ""
}

// overview returns the table of several reports.
func overview(reports []Report, width int) string {
	rows := make([][]string, 0, len(reports))
	header := append([]string{"CLASS"}, fixedChecks...)
	var more []string
	for _, check := range optionalChecks {
		if slices.ContainsFunc(reports, func(r Report) bool { return r.result(check) != "-" }) {
			more = append(more, check)
			header = append(header, strings.ToUpper(check))
		}
	}
	for i, r := range reports {
		row, name := []string{r.Class.String()}, fmt.Sprint(i+1)
		if width > 0 || isSafe(r.Name) {
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
	table := form.Table(width, append(header, "AGE", "NAME", "REASON"), rows)
	return "At a glance:\n" + table + fmt.Sprintf("\n%d checked, worst: %s\n", len(reports), Worst(reports))
}

// result returns the result of a check for the table.
func (r Report) result(check string) string {
	for _, c := range r.Checks {
		if c.Check == check {
			return map[bool]string{true: "pass", false: "FAIL"}[c.Pass]
		}
	}
	return "-"
}

// why returns the reasons for a verdict other than CLEAN, the worst first, without quoted text. It is "" for
// CLEAN.
func (r Report) why() string {
	var all []string
	for _, c := range r.Checks {
		// a consumed token alone makes it critical
		if !c.Pass && c.own != notChecked && (r.Consumed == nil || c.Check == Token) {
			all = append(all, c.Check+": "+c.own)
		}
	}
	return cutTo(strings.Join(all, "; "), 120)
}

// show escapes text of an artifact for one line of a report, and redacts credentials.
func show(text string) string { return form.EscapeLine(redacted(text)) }

// quote returns text like show, shortened and in quotes.
func quote(text string) string { return `"` + show(cut(redacted(text))) + `"` }

// long returns text like show, long enough to compare it word by word.
func long(text string) string { return show(cutTo(redacted(text), 500)) }

// redacted redacts text before it is shortened: half of a credential cannot be recognized.
func redacted(text string) string { return secrets.Redact(text, secrets.Scan(text)) }

// cut shortens text to the space in a report.
func cut(text string) string { return cutTo(text, 80) }

// cutTo returns at most room characters of a text.
func cutTo(text string, room int) string {
	if runes := []rune(text); len(runes) > room {
		text = string(runes[:room-1]) + "…"
	}
	return text
}

// toASCII converts a report for terminals and logs that support only ASCII.
var toASCII = strings.NewReplacer("✅", "[ok]  ", "❌", "[FAIL]", "…", "...")
