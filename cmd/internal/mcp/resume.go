package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

type checkArgs struct {
	ID         string          `json:"id"`
	MaxAge     string          `json:"max_age,omitempty" jsonschema:"such as 48h or 3d"`
	AllowEmpty []string        `json:"allow_empty,omitempty"`
	Answers    *packet.Answers `json:"answers,omitempty" jsonschema:"as you understood them"`
}

func (in checkArgs) with(p handoff.Project) (record.Checks, error) {
	c := record.Checks{Rules: schema.Universal(), Tree: cli.WorkOf(p), CheckOptions: packet.CheckOptions{
		AllowEmpty: in.AllowEmpty, Answers: in.Answers}}
	if in.MaxAge == "" {
		return c, nil
	}
	var err error
	c.MaxAge, err = handoff.ParseDuration(in.MaxAge)
	return c, err
}

// check returns the verdict, and the report with the quoted handoff in a frame.
func (p project) check(ctx context.Context, in checkArgs) (any, error) {
	found, s, err := p.ProjectStore()
	if err != nil {
		return nil, err
	}
	with, err := in.with(found)
	if err != nil {
		return nil, err
	}
	o, err := with.Options(s)
	if err != nil {
		return nil, err
	}
	got, err := s.Read(in.ID)
	if err != nil {
		return nil, err
	}
	report := record.Check(ctx, s, record.Input(got.Entry.ID, got.Document, with.Rules), o)
	text := fmt.Sprintf("%s is %s.\n%s", got.Entry.ID, report.Class,
		packet.Text([]packet.Report{report}, packet.TextOptions{}))
	if report.Class == packet.Clean && got.Entry.IsTo(cmp.Or(found.Me(), got.Entry.To)) {
		text += fmt.Sprintf("Next: handoff_resume with id %s takes it over.\n", cli.Short(got.Entry.ID, 12))
	}
	return text, nil
}

type resumeArgs struct {
	checkArgs
	Offline  bool   `json:"offline,omitempty"`
	Operator string `json:"operator,omitempty"`
}

func (p project) resume(ctx context.Context, in resumeArgs) (any, error) {
	found, s, who, err := p.openAs(in.Operator, in.Offline)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r := record.Request{ID: in.ID, Operator: who.Operator, Session: who.Session}
	if r.Checks, err = in.with(found); err != nil {
		return nil, err
	}
	done, err := record.Resume(ctx, s, r)
	var refusal *record.Refusal
	if errors.As(err, &refusal) {
		return packet.Text([]packet.Report{refusal.Report}, packet.TextOptions{}) + refusal.Text(), err
	}
	if err != nil {
		return nil, err
	}
	return done.Text() + "Next: work; handoff_write hands over the open rest.\n", nil
}
