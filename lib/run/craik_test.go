package run_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/run"
)

// A handoff of Craik comes in under the names that Craik gives its fields; all that it says is in the record.
func TestCraik(t *testing.T) {
	draft, err := run.Parse(load(t, fixtures+"/good/craik.json"), run.Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := draft.Seal(run.Review{Scanned: true})
	if err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]any{
		"proposals": {r.MemoryProposals, []string{"mem-9", "The site is built by make", "no longer true: The site is built by hand"}},
		"receipts":  {r.Receipts, []string{"rcpt-1", "adj-1", "scr-1"}},
		"debt":      {r.ContextDebt[1:], []run.Debt{{"contradiction: The README names another host", "open", ""}, {"disagreement: Whether version 1 needs a page", "open", ""}}},
		"steps":     {r.NextSteps[1:], []run.Step{{What: "answer the delegation del-1"}}},
		"status":    {r.Status, "paused"},
		"created":   {r.CreatedAt, "2026-05-07T12:00:00Z"},
		"audit":     {r.SelfAudit.Failed(), []string{"assumptions_reviewed", "validation_recorded"}},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %q, want %q", what, pair[0], pair[1])
		}
	}
	notes := strings.Join(r.SelfAudit.Notes, "\n")
	for _, want := range []string{"nobody asked about Windows", "imported from craik.handoff", "version: 0.1.0", "id: handoff_docs_review",
		`runner_metadata: [{"runner":"codex","mode":"live"}]`, "operator_subject: user:ann", "craik.handoff claims validation_recorded"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q:\n%s", want, notes)
		}
	}
}

// The fields that are known are listed once, each once, however many are not.
func TestUnknownFieldsAreShort(t *testing.T) {
	_, err := run.Parse([]byte(`{"task_id": "t", "agent": "a", "summary": "s", "project_id": "p", "created_at": "2026-05-07T12:00:00Z", "asumptions": [], "colour": 1, "x": 2}`), run.Defaults{})
	if n := strings.Count(err.Error(), "completed_actions"); n != 1 || strings.Count(err.Error(), "project_id") != 1 || !strings.Contains(err.Error(), `did you mean "assumptions"?`) {
		t.Errorf("%d lists in %v", n, err)
	}
}
