package command

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A table has the newest first, rows keep the order of the index, and a limit keeps the newest in both.
func TestOrder(t *testing.T) {
	t.Parallel()
	rows := make([]handoff.Entry, 4)
	for i, day := range []int{3, 1, 4, 2} { // clocks differ
		rows[i] = handoff.Entry{ID: fmt.Sprint(day), Time: fmt.Sprintf("2026-05-0%dT12:00:00Z", day)}
	}
	for _, c := range []struct {
		flags listFlags
		want  string
	}{
		{listFlags{}, "[3 1 4 2]"},
		{listFlags{Limit: 2}, "[3 4]"},
		{listFlags{Format: "table"}, "[4 3 2 1]"},
		{listFlags{Format: "table", Limit: 3}, "[4 3 2]"},
	} {
		var ids []string
		for _, e := range c.flags.order(slices.Clone(rows)) {
			ids = append(ids, e.ID)
		}
		if got := fmt.Sprint(ids); got != c.want {
			t.Errorf("%+v: %s, want %s", c.flags, got, c.want)
		}
	}
}

// An empty list says whether there is nothing at all, nothing for somebody, or nothing that matches.
func TestEmptyText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chosen handoff.Filter
		want   string
	}{
		{handoff.Filter{Present: true}, "no handoffs here yet"},
		{handoff.Filter{All: true}, "no handoffs here yet"},
		{handoff.Filter{To: "ben"}, "nothing for ben"},
		{handoff.Filter{To: "ben", Unread: true}, "nothing matches; `handoff list --all` lists everything"},
		{handoff.Filter{Topic: "ci"}, "nothing matches; `handoff list --all` lists everything"},
	} {
		if got := emptyText(c.chosen); got != c.want {
			t.Errorf("%+v: %q", c.chosen, got)
		}
	}
}

func TestHistoryDetails(t *testing.T) {
	t.Parallel()
	event := handoff.HistoryEvent{By: "sha256:0123456789abcdef", Session: "s1", Note: "merged"}
	want := []string{"by 01234567", "session s1", "merged"}
	if diff := cmp.Diff(want, historyDetails(event)); diff != "" {
		t.Error(diff)
	}
}
