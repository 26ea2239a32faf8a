package run_test

import (
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/run"
)

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
