package run_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/run"
)

func entry(task, at string, change func(*run.Record)) run.Entry {
	r := base()
	r.TaskID, r.CreatedAt = task, at
	change(&r)
	sealed, err := run.Draft{Record: r}.Seal(run.Review{})
	if err != nil {
		panic(err)
	}
	return run.Entry{HandoffID: "sha256:" + task, Record: sealed}
}

func TestOnboard(t *testing.T) {
	newestFirst := []run.Entry{
		entry("four", "2026-05-07T12:00:00Z", func(r *run.Record) {
			r.Status = "paused"
			r.ContextDebt = []run.Debt{{"Old export", "resolved", ""}}
			r.CompletedActions = []run.Action{{Summary: "Write the redirects"}}
			r.NextSteps = []run.Step{{What: "Announce it"}}
		}),
		entry("other", "2026-05-07T11:00:00Z", func(r *run.Record) {
			r.ProjectID = "elsewhere"
			r.ContextDebt = []run.Debt{{"Not ours", "open", ""}}
		}),
		entry("three", "2026-05-06T12:00:00Z", func(r *run.Record) {
			r.Assumptions = []run.Assumption{{"DNS stays", "refuted"}, {"Ann is back", "carried_forward"}}
			r.NextSteps = []run.Step{{What: "Write the redirects"}, {What: "Announce it", Who: "bob"}}
		}),
		entry("two", "2026-05-05T12:00:00Z", func(r *run.Record) {
			r.PolicyExceptions = []run.Exception{{Summary: "Pushed without review"}}
			r.ContextDebt = []run.Debt{{"Flaky test", "open", "rerun it"}}
		}),
		entry("one", "2026-05-04T12:00:00Z", func(r *run.Record) {
			r.Assumptions = []run.Assumption{{"DNS stays", "open"}, {"Ann is  back", "open"}}
			r.ContextDebt = []run.Debt{{"Old export", "open", ""}}
		}),
	}
	o := run.OnboardOptions{ProjectID: "p", MaxRecent: 3, Now: time.Date(2026, 5, 7, 13, 0, 0, 0, time.UTC)}
	b := run.Onboard(newestFirst, o)
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range b.RecentHandoffs {
		got = append(got, r.TaskID)
	}
	if strings.Join(got, " ") != "four three two" {
		t.Errorf("recent %q", got)
	}
	if len(b.Assumptions) != 1 || b.Assumptions[0].Statement != "Ann is back" || b.Assumptions[0].TaskID != "three" {
		t.Errorf("assumptions %+v", b.Assumptions)
	}
	if len(b.ContextDebt) != 1 || b.ContextDebt[0].Summary != "Flaky test" || b.ContextDebt[0].NextAction != "rerun it" {
		t.Errorf("debt %+v", b.ContextDebt)
	}
	if len(b.NextSteps) != 1 || b.NextSteps[0].TaskID != "four" {
		t.Errorf("next steps %+v", b.NextSteps)
	}
	if len(b.PolicyExceptions) != 1 || b.PolicyExceptions[0].HandoffID != "sha256:two" {
		t.Errorf("exceptions %+v", b.PolicyExceptions)
	}
	if want := []string{"task two fails its self-audit: receipts_reviewed"}; !reflect.DeepEqual(b.Warnings, want) {
		t.Errorf("warnings %q", b.Warnings)
	}
	if !strings.Contains(string(data), `"context_debt":[{"key":"a955ce","summary":"Flaky test","state":"open","next_action":"rerun it","task_id":"two"`) {
		t.Errorf("%s", data)
	}
	o.Now = o.Now.Add(60 * time.Hour)
	if w := run.Onboard(newestFirst, o).Warnings[0]; !strings.HasPrefix(w, "stale: ") {
		t.Errorf("warning %q", w)
	}
	if b := run.Onboard(nil, o); len(b.Warnings) != 1 || b.Warnings[0] != "no prior handoff of this project" || b.RecentHandoffs == nil {
		t.Errorf("%+v", b)
	}
}

// A step that nobody did stays open, however many records came since, and its key stays its own.
func TestStepsStayOpen(t *testing.T) {
	all := []run.Entry{entry("old", "2026-05-04T12:00:00Z", func(r *run.Record) {
		r.NextSteps = []run.Step{{What: "Write the redirects"}, {What: "Announce it"}}
	})}
	for _, task := range []string{"a", "b", "c", "d", "e", "f"} {
		all = append([]run.Entry{entry(task, "2026-05-05T12:00:00Z", func(*run.Record) {})}, all...)
	}
	b := run.Onboard(all, run.OnboardOptions{ProjectID: "p"})
	if len(b.NextSteps) != 2 || b.NextSteps[1].Key != run.Key("Announce it") {
		t.Fatalf("%+v", b.NextSteps)
	}
	all = append([]run.Entry{entry("g", "2026-05-06T12:00:00Z", func(r *run.Record) {
		r.CompletedActions = []run.Action{{Summary: "Write the  redirects"}}
	})}, all...)
	if left := run.Onboard(all, run.OnboardOptions{ProjectID: "p"}).NextSteps; len(left) != 1 || left[0].Key != b.NextSteps[1].Key {
		t.Errorf("%+v", left)
	}
}

// What is resolved later is gone, what is opened again later is back, and order of time decides.
func TestCarryFollowsTheLatest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.SampledFrom([]string{"", "open", "carried_forward", "resolved"}), 1, 8).Draw(t, "newest first")
		var entries []run.Entry
		latest := ""
		for _, s := range states {
			e := run.Entry{Record: base()}
			if s != "" {
				e.Record.ContextDebt = []run.Debt{{Summary: "d", State: s}}
				if latest == "" {
					latest = s
				}
			}
			entries = append(entries, e)
		}
		debt := run.Carry(entries).Debt
		if alive := latest == "open" || latest == "carried_forward"; alive != (len(debt) == 1) {
			t.Fatalf("%q: carried %+v", states, debt)
		}
	})
}

func TestFacts(t *testing.T) {
	r := base()
	r.Summary = "Moved the export; one table is left"
	r.ContextDebt = []run.Debt{{"Table orders is not moved", "open", ""}, {"Paid debt", "resolved", ""}}
	r.NextSteps = []run.Step{{What: "Move table orders"}, {What: "Tell Ann"}}
	f, err := run.Inspect(r.JSON())
	if err != nil || len(f.Unresolved) != 1 || f.NextAction != "Move table orders" {
		t.Errorf("%v %+v", err, f)
	}
	now := time.Date(2026, 5, 7, 13, 0, 0, 0, time.UTC)
	report := packet.Check(packet.Input{Facts: &f}, packet.CheckOptions{Now: now})
	if report.Class != packet.Operational || report.Checks[2].Pass || !report.Checks[3].Pass {
		t.Errorf("%+v", report)
	}
}
