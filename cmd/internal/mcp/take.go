package mcp

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

type takeArgs struct {
	ID       string `json:"id"`
	Operator string `json:"operator,omitempty"`
	Offline  bool   `json:"offline,omitempty"`
}

type doneArgs struct {
	takeArgs
	Note string `json:"note,omitempty" jsonschema:"the result, for the sender"`
}

// acted is a receipt with the common data.
type acted struct {
	about
	handoff.ActReceipt
}

func (p project) take(ctx context.Context, in takeArgs) (any, error) {
	return p.act(ctx, handoff.ActTake, doneArgs{takeArgs: in}, "work; handoff_done with its id finishes it")
}

func (p project) release(ctx context.Context, in takeArgs) (any, error) {
	return p.act(ctx, handoff.ActRelease, doneArgs{takeArgs: in}, "")
}

func (p project) done(ctx context.Context, in doneArgs) (any, error) {
	return p.act(ctx, handoff.ActDone, in, "")
}

func (p project) act(ctx context.Context, act handoff.Act, in doneArgs, next string) (any, error) {
	_, s, who, err := p.openAs(in.Operator, in.Offline)
	if err != nil {
		return nil, err
	}
	who.Reason = in.Note
	if in.ID == "@" && act != handoff.ActTake {
		if in.ID, err = p.Taken(s, who.Operator, p.session); err != nil {
			return nil, err
		}
	}
	got, err := s.Act(ctx, act, in.ID, who)
	if err == nil {
		if act == handoff.ActTake {
			p.hold(ctx, s, who.Operator)
		} else {
			p.renew(ctx)
		}
	}
	if got.Over != "" {
		next = "it is " + got.Over + ": ask its sender before you start"
		if len(got.Successors) > 0 {
			next = "it is superseded: handoff_read the id in superseded_by, and take that"
		}
	}
	return acted{p.aboutProject(next), got}, err
}
