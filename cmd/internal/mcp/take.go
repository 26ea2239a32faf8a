package mcp

import (
	"cmp"
	"context"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

type takeArgs struct {
	ID       string `json:"id"`
	Operator string `json:"operator,omitempty"`
	Session  string `json:"session,omitempty"`
	Offline  bool   `json:"offline,omitempty"`
}

type doneArgs struct {
	ID       string `json:"id"`
	Operator string `json:"operator,omitempty"`
	Note     string `json:"note,omitempty" jsonschema:"the result, for the sender"`
	Session  string `json:"session,omitempty"`
	Offline  bool   `json:"offline,omitempty"`
}

// acted is a receipt with the common data.
type acted struct {
	about
	handoff.ActReceipt
}

func (p project) take(ctx context.Context, in takeArgs) (result, error) {
	who := handoff.Consumption{Operator: in.Operator, Session: cmp.Or(in.Session, p.session)}
	return p.act(ctx, handoff.ActTake, in.ID, in.Offline, who, "work; handoff_done with its id finishes it")
}

func (p project) release(ctx context.Context, in takeArgs) (result, error) {
	who := handoff.Consumption{Operator: in.Operator, Session: cmp.Or(in.Session, p.session)}
	return p.act(ctx, handoff.ActRelease, in.ID, in.Offline, who, "")
}

func (p project) done(ctx context.Context, in doneArgs) (result, error) {
	who := handoff.Consumption{Operator: in.Operator, Session: cmp.Or(in.Session, p.session), Reason: in.Note}
	return p.act(ctx, handoff.ActDone, in.ID, in.Offline, who, "")
}

func (p project) act(ctx context.Context, act handoff.Act, id string, offline bool, who handoff.Consumption,
	next string) (result, error) {
	found, s, err := p.openOnce(offline)
	if err != nil {
		return result{}, err
	}
	if who.Operator, err = p.acting(found, "operator", who.Operator); err != nil {
		return result{}, err
	}
	got, err := s.Act(ctx, act, id, who)
	if err == nil {
		p.SyncByItself(found)
		if act == handoff.ActTake {
			p.hold(ctx, s, who)
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
	return result{data: acted{p.aboutProject(next), got}}, err
}
