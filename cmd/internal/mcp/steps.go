package mcp

import (
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// shortID is enough of an id to name a handoff.
func shortID(id string) string { return strings.TrimPrefix(id, "sha256:")[:12] }

// next says what can be done with a handoff that was read.
func next(s *handoff.Store, got handoff.Stored, me string) string {
	id := shortID(got.Entry.ID)
	return cli.NextSteps(s, got, me, map[cli.Step]string{
		cli.Check:  fmt.Sprintf("handoff_check with id %s says whether work can be resumed from it", id),
		cli.Resume: fmt.Sprintf("handoff_resume with id %s takes it over", id),
		cli.Take:   fmt.Sprintf("handoff_take with id %s takes it, and marks it as read", id),
		cli.Answer: fmt.Sprintf("handoff_reply with id %s answers", id),
		cli.Done:   fmt.Sprintf("handoff_done with id %s ends it", id),
	})
}
