package run

import (
	"cmp"
	_ "embed" // for the form of the onboarding
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/packet"
)

// DefaultMaxRecent is the default number of recent handoffs in an Onboarding.
const DefaultMaxRecent = 5

// OnboardOptions are the options of Onboard. The zero value works.
type OnboardOptions struct {
	ProjectID string        // "": all records count as one project
	MaxRecent int           // DefaultMaxRecent if zero
	Now       time.Time     // time.Now() if zero
	MaxAge    time.Duration // 48 h if zero; an older newest record is stale
}

// An Onboarding is what the next run of a project needs to know. Its lists are never nil. All text except
// Warnings comes from records and is not escaped.
type Onboarding struct {
	ProjectID        string              `json:"project_id"`
	RecentHandoffs   []Recent            `json:"recent_handoffs"` // newest first
	Assumptions      []CarriedAssumption `json:"assumptions"`
	ContextDebt      []CarriedDebt       `json:"context_debt"`
	PolicyExceptions []OriginException   `json:"policy_exceptions"` // of the recent handoffs
	NextSteps        []OriginStep        `json:"next_steps"`        // of all records, without closed ones
	Warnings         []string            `json:"warnings"`
}

// A Recent is one of the recent handoffs.
type Recent struct {
	Origin
	Agent      string   `json:"agent"`
	Status     string   `json:"status"`
	Summary    string   `json:"summary"`
	AuditFails []string `json:"audit_fails"` // the flags of its self-audit that are false
}

// An OriginException is a policy exception with its record.
type OriginException struct {
	Exception
	Origin
}

// An OriginStep is a next step with its record.
type OriginStep struct {
	Key string `json:"key"` // closes it in a later record; see Key
	Step
	Origin
}

// Onboard collects what the records of a project pass to the next run. newestFirst begins with the newest. Debt,
// assumptions and next steps come from all records, exceptions from the recent ones.
func Onboard(newestFirst []Entry, o OnboardOptions) Onboarding {
	entries := slices.DeleteFunc(slices.Clone(newestFirst), func(e Entry) bool {
		return o.ProjectID != "" && e.Record.ProjectID != o.ProjectID
	})
	open := Carry(entries)
	b := Onboarding{
		ProjectID: o.ProjectID, RecentHandoffs: []Recent{}, PolicyExceptions: []OriginException{},
		Assumptions: open.Assumptions, ContextDebt: open.Debt, NextSteps: open.Steps,
		Warnings: []string{},
	}
	place := map[Origin]int{}
	for i, e := range entries {
		place[e.origin()] = i
	}
	// The newest first.
	slices.SortStableFunc(b.NextSteps, func(x, y OriginStep) int { return place[x.Origin] - place[y.Origin] })
	recent := entries[:min(len(entries), cmp.Or(max(o.MaxRecent, 0), DefaultMaxRecent))]
	for _, e := range recent {
		r := e.Record
		fails := append([]string{}, r.SelfAudit.Failed()...)
		b.RecentHandoffs = append(b.RecentHandoffs, Recent{e.origin(), r.Agent, r.Status, r.Summary, fails})
		for _, x := range r.PolicyExceptions {
			b.PolicyExceptions = append(b.PolicyExceptions, OriginException{x, e.origin()})
		}
	}
	b.warn(recent, o)
	return b
}

// warn adds warnings about the recent handoffs.
func (b *Onboarding) warn(recent []Entry, o OnboardOptions) {
	say := func(format string, args ...any) { b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...)) }
	if len(recent) == 0 {
		say("no prior handoff of this project")
		return
	}
	now := o.Now
	if now.IsZero() {
		now = time.Now()
	}
	limit := cmp.Or(o.MaxAge, 48*time.Hour)
	newest := recent[0].Record.CreatedAt
	if at, ok := form.Instant(newest); !ok || now.Sub(at) > limit {
		say("stale: the newest handoff was created %d h ago, at %s (exceeds %s limit)",
			now.Sub(at)/time.Hour, show(newest), packet.FormatLimit(limit))
	}
	for _, e := range recent {
		r, task := e.Record, show(e.Record.TaskID)
		if failed := r.SelfAudit.Failed(); len(failed) > 0 {
			say("task %s fails its self-audit: %s", task, strings.Join(failed, ", "))
		}
	}
}

// show escapes text of a record for one line.
func show(text string) string { return form.EscapeLine(text) }

// Markdown returns the onboarding for people. The next record can name items by their keys.
func (b Onboarding) Markdown() string { return markdown(b) }

//go:embed onboard.md
var onboardText string
var markdown = fields.View(onboardText)

// Fails returns the failed flags on one line.
func (r Recent) Fails() string { return strings.Join(r.AuditFails, ", ") }
