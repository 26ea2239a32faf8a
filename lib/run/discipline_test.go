package run_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/run"
)

func TestWarnings(t *testing.T) {
	carried := run.Carried{
		Assumptions: []run.CarriedAssumption{{Assumption: run.Assumption{Statement: "DNS stays", State: "open"}, Origin: run.Origin{TaskID: "old"}}},
		Debt:        []run.CarriedDebt{{Debt: run.Debt{Summary: "Flaky \u202etest", State: "open"}, Origin: run.Origin{TaskID: "old"}}},
	}
	for _, c := range []struct {
		name    string
		change  func(*run.Record)
		carried run.Carried
		allowed []string
		want    string
	}{
		{name: "nothing", change: func(*run.Record) {}},
		{name: "failed test", change: func(r *run.Record) { r.CommandsAndValidation[0].Result = "failed" },
			want: `policy_exceptions_disclosed is false: a command failed that no policy exception or risk mentions | the status is completed, but "go test" failed`},
		{name: "failed run", change: func(r *run.Record) {
			r.Status, r.CommandsAndValidation[0].Result, r.Risks = "failed", "failed", []string{"go test fails"}
		}, want: "the status is failed, but the record has no next step"},
		{name: "paused with a step", change: func(r *run.Record) { r.Status, r.NextSteps = "paused", []run.Step{{What: "Wait"}} }},
		{name: "no action", change: func(r *run.Record) { r.CompletedActions = nil }, want: "the status is completed, but the record names no completed action"},
		{name: "allowed", change: func(*run.Record) {}, allowed: []string{"jwt"},
			want: "redaction_reviewed is false: the secret scan let something through | policy_exceptions_disclosed is false: a secret was allowed that no policy exception or risk mentions"},
		{name: "carried", change: func(*run.Record) {}, carried: carried,
			want: `assumptions_reviewed is false: an assumption carried from an earlier record is not named and no note says why | the assumption "DNS stays" of task "old" is still open: was it promoted, refuted, or is it carried forward? | the context debt "Flaky \u{202e}test" of task "old" is still open`},
		{name: "carried and named", carried: carried, change: func(r *run.Record) {
			r.Assumptions, r.ContextDebt = []run.Assumption{{"DNS  stays", "promoted"}}, []run.Debt{{"Flaky \u202etest", "resolved", ""}}
		}},
		{name: "resolves nothing", change: func(r *run.Record) { r.ContextDebt = []run.Debt{{"Slow test", "resolved", ""}} }, carried: run.Carried{},
			want: `no open context debt of the project is called "Slow test", so this resolves nothing`},
	} {
		r := base()
		r.CompletedActions = []run.Action{{Summary: "One"}}
		c.change(&r)
		if got := strings.Join(run.Draft{Record: r}.Warnings(c.allowed, c.carried), " | "); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A record sees what was open when it was created: not what came later, not other projects, not itself.
func TestCarriedInto(t *testing.T) {
	debt := func(text string) func(*run.Record) {
		return func(r *run.Record) { r.ContextDebt = []run.Debt{{text, "open", ""}} }
	}
	entries := []run.Entry{
		entry("later", "2026-05-07T12:00:00.5Z", debt("later")),
		entry("self", "2026-05-07T12:00:00Z", debt("own")),
		entry("same time", "2026-05-07T12:00:00Z", debt("same time")),
		entry("other", "2026-05-07T11:00:00Z", func(r *run.Record) { debt("foreign")(r); r.ProjectID = "elsewhere" }),
		entry("self", "2026-05-07T10:00:00Z", debt("earlier")),
	}
	var got []string
	for _, d := range run.CarriedInto(entries, entries[1].Record).Debt {
		got = append(got, d.Summary)
	}
	if strings.Join(got, ", ") != "earlier, same time" {
		t.Errorf("carried %q", got)
	}
}
