package run

import (
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/recordblock"
)

// Markdown returns the onboarding for people. What has a number can be named by it in the next record.
func (b Onboarding) Markdown() string {
	v := &view{}
	v.WriteString("# What the next run should know: " + recordblock.Text(b.ProjectID) + "\n")
	section(v, "Warnings", b.Warnings, func(s string) { v.item("", s) })
	section(v, "Recent handoffs", b.RecentHandoffs, func(r Recent) {
		v.item("", r.TaskID+": "+r.Summary, "status", r.Status, "agent", r.Agent, "created at", r.CreatedAt, "audit fails", strings.Join(r.AuditFails, ", "))
	})
	section(v, "Next steps", b.NextSteps, func(s OriginStep) {
		v.numbered(s.Number, s.What, "who", s.Who, "verify first", s.VerifyFirst, "task", s.TaskID)
	})
	section(v, "Assumptions", b.Assumptions, func(a CarriedAssumption) {
		v.numbered(a.Number, a.Statement, "state", a.State, "task", a.TaskID)
	})
	section(v, "Context debt", b.ContextDebt, func(d CarriedDebt) {
		v.numbered(d.Number, d.Summary, "state", d.State, "next action", d.NextAction, "task", d.TaskID)
	})
	section(v, "Policy exceptions", b.PolicyExceptions, func(e OriginException) { v.item("", e.Summary, "reason", e.Reason, "task", e.TaskID) })
	section(v, "Drafts", b.Drafts, func(d Left) { v.item("", d.ID, "saved", d.Saved, "agent", d.Agent, "topic", d.Topic) })
	return v.String()
}

// numbered writes an item as item does, with its number.
func (v *view) numbered(n int, main string, values ...string) {
	line := &view{}
	line.item("", main, values...)
	fmt.Fprintf(v, "- **%d:** %s", n, strings.TrimPrefix(line.String(), "- ")) // a numbered list would count on by itself
}
