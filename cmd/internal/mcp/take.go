package mcp

import (
	"context"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type takeArgs struct {
	ID       string `json:"id,omitempty" jsonschema:"without it, the next one"`
	Undo     bool   `json:"undo,omitempty" jsonschema:"give it back"`
	Operator string `json:"operator,omitempty"`
}

type doneArgs struct {
	ID       string `json:"id"`
	Note     string `json:"note,omitempty" jsonschema:"the result, for the sender"`
	Operator string `json:"operator,omitempty"`
}

// acted is a receipt with the next step.
type acted struct {
	Next string `json:"next,omitempty"`
	handoff.ActReceipt
}

// take takes a handoff like `handoff take`, or the next one like `handoff next --take`, or gives one back.
func (p project) take(ctx context.Context, in takeArgs) (any, error) {
	_, s, who, err := p.openAs(in.Operator)
	if err != nil {
		return nil, err
	}
	var got handoff.ActReceipt
	switch {
	case in.Undo:
		return p.end(ctx, s, handoff.ActRelease, in.ID, who)
	case in.ID != "":
		got, err = s.Act(ctx, handoff.ActTake, in.ID, who)
	default:
		var ok bool
		if got, ok, err = s.Lifecycle().TakeNext(ctx, handoff.Filter{To: who.Operator}, who); !ok && err == nil {
			return "nothing to do for " + who.Operator + "\n", nil
		}
	}
	if err != nil {
		return acted{"", got}, err
	}
	p.began()
	next := "handoff_read with its id, then work; handoff_done finishes it"
	if got.Over != "" {
		next = "it is " + got.Over + ": ask its sender before you start"
		if len(got.Successors) > 0 {
			next = "it is superseded: handoff_read the id in superseded_by, and take that"
		}
	}
	return acted{next, got}, nil
}

func (p project) done(ctx context.Context, in doneArgs) (any, error) {
	_, s, who, err := p.openAs(in.Operator)
	if err != nil {
		return nil, err
	}
	who.Reason = in.Note
	return p.end(ctx, s, handoff.ActDone, in.ID, who)
}

// end finishes or gives back what was taken.
func (p project) end(ctx context.Context, s *handoff.Store, act handoff.Act, id string, who handoff.Who) (
	any, error) {
	var err error
	if id == "@" {
		if id, err = p.Taken(s, who.Operator, p.session); err != nil {
			return nil, err
		}
	}
	got, err := s.Act(ctx, act, id, who)
	return acted{"", got}, err
}

// began notes the session if only this server knows it: if the server dies, others can take over what it holds.
func (p project) began() {
	if p.isAlone {
		agent.Began(p.session, p.Getenv)
	}
}
