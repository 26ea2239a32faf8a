package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/kind"
)

type checkArgs struct {
	ID         string        `json:"id"`
	MaxAge     string        `json:"max_age,omitempty" jsonschema:"such as 48h or 3d"`
	AllowEmpty []string      `json:"allow_empty,omitempty"`
	Answers    *kind.Answers `json:"answers,omitempty" jsonschema:"as you understood them"`
}

func (in checkArgs) with(p handoff.Project, who handoff.Who, now time.Time) (c handoff.Checking, err error) {
	c = handoff.Checking{Tree: cli.WorkOf(p), Operator: cmp.Or(who.Operator, p.Me()), Session: who.Session,
		CheckOptions: kind.CheckOptions{AllowEmpty: in.AllowEmpty, Answers: in.Answers, Now: now}}
	if in.MaxAge != "" {
		c.MaxAge, err = handoff.ParseDuration(in.MaxAge)
	}
	return c, err
}

// check returns the verdict, and the report with the quoted handoff in a frame.
func (p project) check(ctx context.Context, in checkArgs) (any, error) {
	found, s, err := p.ProjectStore()
	if err != nil {
		return nil, err
	}
	with, err := in.with(found, handoff.Who{Session: p.session}, p.Now())
	if err != nil {
		return nil, err
	}
	got, err := s.Read(in.ID)
	if err != nil {
		return nil, err
	}
	report, err := s.Check(ctx, handoff.InputOf(got.Entry.ID, got.Document), with)
	if err != nil {
		return nil, err
	}
	text := kind.Summary([]kind.Report{report}, kind.SummaryOptions{})
	if report.Class == kind.Clean && got.Entry.IsTo(cmp.Or(found.Me(), got.Entry.To)) {
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
	r := handoff.Request{ID: in.ID}
	if r.Checking, err = in.with(found, who, p.Now()); err != nil {
		return nil, err
	}
	done, err := s.Resume(ctx, r)
	if refusal, is := errors.AsType[*handoff.Refusal](err); is {
		return kind.Summary([]kind.Report{refusal.Report}, kind.SummaryOptions{}), err
	}
	if err != nil {
		return nil, err
	}
	return done.Text() + "Next: work; handoff_write hands over the open rest.\n", nil
}
