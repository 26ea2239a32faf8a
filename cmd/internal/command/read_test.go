package command

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func TestHistoryDetails(t *testing.T) {
	t.Parallel()
	event := handoff.HistoryEvent{By: "sha256:0123456789abcdef", Session: "s1", Note: "merged"}
	const want = "by 01234567, session s1, merged"
	if got := historyDetails(event); got != want {
		t.Error(got)
	}
}
