package mcp

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

type takeArgs struct {
	ID       string `json:"id" jsonschema:"the id of the handoff, or a unique prefix"`
	Operator string `json:"operator,omitempty" jsonschema:"who takes it (default who the server runs for)"`
	Session  string `json:"session,omitempty" jsonschema:"the session that it is for alone: letters, digits, dashes"`
}

type doneArgs struct {
	ID       string `json:"id" jsonschema:"the id of the handoff, or a unique prefix"`
	Operator string `json:"operator,omitempty" jsonschema:"who has done it (default who the server runs for)"`
	Note     string `json:"note,omitempty" jsonschema:"what came of it, for the audit log"`
}

// acted is a receipt with what every result has.
type acted struct {
	about
	handoff.ActReceipt
}

func (p project) take(ctx context.Context, in takeArgs) (result, error) {
	return p.act(ctx, handoff.ActTake, in.ID, handoff.Consumption{Operator: in.Operator, Session: in.Session}, "work; handoff_done with its id ends it")
}

func (p project) done(ctx context.Context, in doneArgs) (result, error) {
	return p.act(ctx, handoff.ActDone, in.ID, handoff.Consumption{Operator: in.Operator, Reason: in.Note}, "")
}

func (p project) act(ctx context.Context, act handoff.Act, id string, who handoff.Consumption, next string) (result, error) {
	found, s, err := p.open()
	if err != nil {
		return result{}, err
	}
	if who.Operator, err = p.acting(found, "operator", who.Operator); err != nil {
		return result{}, err
	}
	got, err := s.Act(ctx, act, id, who)
	if got.Over != "" {
		next = "it is " + got.Over + ": before work ask its sender"
		if len(got.Successors) > 0 {
			next = "it is superseded: handoff_read what superseded_by names, and take that"
		}
	}
	return result{data: acted{p.about(next), got}}, err
}
