package run

import (
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/recordblock"
)

// View returns the record as Markdown for people, with every field that it has, and why a flag of the
// audit is no. Its form is part of kind run/1: stored handoffs are verified against it, or against
// EarlierView.
func (r Record) View() string { return r.view(&view{}) }

// EarlierView returns the view that the first programs made: without empty sections and reasons. It
// never changes.
func (r Record) EarlierView() string { return r.view(&view{short: true}) }

// view writes the record for people. The same record gives the same view: verify compares them.
func (r Record) view(v *view) string {
	v.WriteString("# Run record " + recordblock.Text(r.TaskID) + "\n\n" + recordblock.Text(r.Summary) + "\n\n")
	v.item("Status", "", r.Status)
	v.item("Project", "", r.ProjectID)
	v.item("Intent lock", "", r.IntentLockID)
	v.item("Agent", "", r.Agent)
	v.item("Created at", "", r.CreatedAt)
	section(v, "Completed actions", r.CompletedActions, func(a Action) { v.item("", a.Summary, "ref", a.Ref) })
	section(v, "Files and artifacts", r.FilesAndArtifacts, func(f File) {
		v.item("", f.Path, "kind", f.Kind, "change", f.Change, "sha256", f.SHA256)
	})
	section(v, "Commands and validation", r.CommandsAndValidation, func(c Command) {
		v.item("", c.Command, "kind", c.Kind, "result", c.Result, "exit code", number(c.ExitCode), "duration in ms", number(c.DurationMS), "summary", c.Summary)
	})
	section(v, "Assumptions", r.Assumptions, func(a Assumption) { v.item("", a.Statement, "state", a.State) })
	section(v, "Context debt", r.ContextDebt, func(d Debt) { v.item("", d.Summary, "state", d.State, "next action", d.NextAction) })
	section(v, "Policy exceptions", r.PolicyExceptions, func(e Exception) { v.item("", e.Summary, "reason", e.Reason) })
	plain := func(s string) { v.item("", s) }
	section(v, "Receipts", r.Receipts, plain)
	section(v, "Memory proposals", r.MemoryProposals, plain)
	section(v, "Next steps", r.NextSteps, func(s Step) { v.item("", s.What, "who", s.Who, "verify first", s.VerifyFirst) })
	section(v, "Risks", r.Risks, plain)
	v.WriteString("\n## Self-audit\n\n")
	for _, f := range flags {
		answer := "yes"
		if !*f.place(&r.SelfAudit) {
			if answer = "no"; !v.short {
				answer += ": " + f.why(r)
			}
		}
		v.item(f.name, "", answer)
	}
	for _, note := range r.SelfAudit.Notes {
		v.item("note", "", note)
	}
	return v.String()
}

// A view is the Markdown of a record as it grows.
type view struct {
	strings.Builder
	short bool // what is empty is left out
}

// item writes one line: a label or a main text, then values. Behind a main text each value has its name.
func (v *view) item(label, main string, values ...string) {
	if label != "" {
		if values[0] != "" {
			v.WriteString("- **" + recordblock.Text(label) + ":** " + recordblock.Text(values[0]) + "\n")
		}
		return
	}
	v.WriteString("- " + recordblock.Text(main))
	for i := 0; i+1 < len(values); i += 2 {
		if values[i+1] != "" {
			v.WriteString("; " + values[i] + ": " + recordblock.Text(values[i+1]))
		}
	}
	v.WriteString("\n")
}

// section writes the heading of a list and its items, nothing for an empty list.
func section[T any](v *view, title string, items []T, write func(T)) {
	if len(items) == 0 && v.short {
		return
	}
	v.WriteString("\n## " + title + "\n\n")
	if len(items) == 0 {
		v.WriteString("none named\n")
	}
	for _, item := range items {
		write(item)
	}
}

// number writes a number that may be unknown.
func number(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
