package mcp

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

type takeArgs struct {
	ID       string `json:"id" jsonschema:"the id of the handoff, or a unique prefix"`
	Operator string `json:"operator,omitempty" jsonschema:"who takes it (default: the server's operator)"`
	Session  string `json:"session,omitempty" jsonschema:"take it only for this session: letters, digits, dashes"`
}

type doneArgs struct {
	ID       string `json:"id" jsonschema:"the id of the handoff, or a unique prefix"`
	Operator string `json:"operator,omitempty" jsonschema:"who finished it (default: the server's operator)"`
	Note     string `json:"note,omitempty" jsonschema:"the result, for the audit log"`
}

// acted is a receipt with the common data.
type acted struct {
	about
	handoff.ActReceipt
}

func (p project) take(ctx context.Context, in takeArgs) (result, error) {
	who := handoff.Consumption{Operator: in.Operator, Session: in.Session}
	return p.act(ctx, handoff.ActTake, in.ID, who, "work; handoff_done with its id finishes it")
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
		next = "it is " + got.Over + ": ask its sender before you start"
		if len(got.Successors) > 0 {
			next = "it is superseded: handoff_read the id in superseded_by, and take that"
		}
	}
	return result{data: acted{p.aboutProject(next), got}}, err
}
