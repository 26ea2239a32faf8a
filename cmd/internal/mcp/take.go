package mcp

import (
	"context"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

type takeArgs struct {
	ID       string `json:"id,omitempty" jsonschema:"without it, the next one"`
	Undo     bool   `json:"undo,omitempty" jsonschema:"give it back"`
	Offline  bool   `json:"offline,omitempty" jsonschema:"without the remote"`
	Operator string `json:"operator,omitempty"`
}

type doneArgs struct {
	ID       string `json:"id"`
	Note     string `json:"note,omitempty" jsonschema:"the result, for the sender"`
	Offline  bool   `json:"offline,omitempty"`
	Operator string `json:"operator,omitempty"`
}

// take takes a handoff like `handoff take`, or the next one, or gives one back. The result is the text of the handoff,
// and what ends its work.
func (p project) take(ctx context.Context, in takeArgs) (any, error) {
	found, s, who, err := p.openAs(in.Operator, in.Offline)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var got handoff.ActReceipt
	ok := true
	switch {
	case in.Undo:
		return p.end(ctx, s, handoff.ActRelease, in.ID, who)
	case in.ID != "":
		got, err = s.Act(ctx, handoff.ActTake, in.ID, who)
	default:
		got, ok, err = s.Lifecycle().TakeNext(ctx, who)
	}
	if err == nil && !ok {
		return "nothing to do for " + who.Operator + "\n", nil
	}
	if err != nil {
		return nil, err
	}
	taken, err := s.Read(got.ID)
	if err != nil {
		return nil, err
	}
	text := "Taken by " + got.Operator
	if got.Until != "" {
		text += " until " + got.Until
	}
	next := "Next: work, then handoff_done with id ID and a note, or handoff_reply."
	if handoff.CarriesPacket(taken.Document) {
		next = "Next: handoff_resume with id ID."
	}
	return text + ".\n" + p.framed(ctx, found, taken, handoff.Frame{}) +
		strings.ReplaceAll(next, "ID", cli.Short(got.ID, 12)) + "\n", nil
}

func (p project) done(ctx context.Context, in doneArgs) (any, error) {
	_, s, who, err := p.openAs(in.Operator, in.Offline)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	who.Reason = in.Note
	return p.end(ctx, s, handoff.ActDone, in.ID, who)
}

// end finishes or gives back what was taken.
func (p project) end(ctx context.Context, s *handoff.Store, act handoff.Act, id string, who handoff.Who) (
	_ any, err error) {
	if id == "@" {
		if id, err = p.Taken(s, who.Operator, p.session); err != nil {
			return nil, err
		}
	}
	return s.Act(ctx, act, id, who)
}
