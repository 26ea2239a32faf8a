package mcp

import (
	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// next says what can be done with a handoff that was read.
func next(s *handoff.Store, got handoff.Stored, me string) string {
	return cli.NextSteps(s, got, me, map[cli.Step]string{
		cli.Check:  "handoff_check with id ID says whether work can be resumed from it",
		cli.Resume: "handoff_resume with id ID takes it over",
		cli.Take:   "handoff_take with id ID takes it, and marks it as read",
		cli.Answer: "handoff_reply with id ID answers",
		cli.Done:   "handoff_done with id ID ends it",
	})
}
