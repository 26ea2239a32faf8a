package run_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/run"
)

// The names of Craik are aliases.
func TestCraik(t *testing.T) {
	draft, err := run.Parse(load(t, fixtures+"/good/craik.json"), run.Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	r := draft.Record
	for what, pair := range map[string][2]any{
		"proposals": {r.MemoryProposals, []string{"mem-9", "The site is built by make"}},
		"receipts":  {r.Receipts, []string{"rcpt-1", "adj-1"}},
		"debt":      {r.ContextDebt[1:], []run.Debt{{"The README names another host", "open", ""}, {"Whether version 1 needs a page", "open", ""}}},
		"status":    {r.Status, "paused"},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %q, want %q", what, pair[0], pair[1])
		}
	}
}

// The fields that are known are listed once, each once, however many are not.
func TestUnknownFieldsAreShort(t *testing.T) {
	_, err := run.Parse([]byte(`{"task_id": "t", "agent": "a", "summary": "s", "project_id": "p", "created_at": "2026-05-07T12:00:00Z", "asumptions": [], "colour": 1, "x": 2}`), run.Defaults{})
	if n := strings.Count(err.Error(), "completed_actions"); n != 1 || strings.Count(err.Error(), "project_id") != 1 {
		t.Errorf("%d lists in %v", n, err)
	}
}
