package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/schema"
)

type checkArgs struct {
	ID         string          `json:"id" jsonschema:"the id of the handoff, or a unique prefix"`
	MaxAge     string          `json:"max_age,omitempty" jsonschema:"how old a fresh handoff may be, such as 48h"`
	AllowEmpty []string        `json:"allow_empty,omitempty" jsonschema:"fields that may be empty"`
	Answers    *packet.Answers `json:"answers,omitempty" jsonschema:"objective, blocker and next_action as you understood them"`
}

func (in checkArgs) with(p handoff.Project) (record.Checks, error) {
	c := record.Checks{MaxAge: p.Settings.MaxAge.Value, AllowEmpty: in.AllowEmpty, Answers: in.Answers, Rules: schema.Universal()}
	if in.MaxAge == "" {
		return c, nil
	}
	d, err := time.ParseDuration(in.MaxAge)
	if err != nil {
		return c, &handoff.Error{Class: handoff.ErrInvalid, Problem: fmt.Sprintf("max_age %q is no duration", in.MaxAge), Advice: "give one such as 48h"}
	}
	c.MaxAge = d
	return c, nil
}

// A checked is a verdict, without the words of the handoff.
type checked struct {
	ID       string         `json:"handoff_id"`
	Class    packet.Class   `json:"classification"`
	ExitCode int            `json:"exit_code"` // that the command would have
	Checks   []checkedPoint `json:"checks"`
	Age      *int64         `json:"age_seconds,omitempty"`
}

type checkedPoint struct {
	Check string `json:"check"`
	Pass  bool   `json:"pass"`
}

func newChecked(id string, r packet.Report) checked {
	c := checked{ID: id, Class: r.Class, ExitCode: everyday.ExitOf(everyday.Verdict(r.Class)).Code, Age: r.AgeSeconds}
	for _, one := range r.Checks {
		c.Checks = append(c.Checks, checkedPoint{one.Check, one.Pass})
	}
	return c
}

func (p project) check(_ context.Context, in checkArgs) (result, error) {
	found, s, err := p.open()
	if err != nil {
		return result{}, err
	}
	with, err := in.with(found)
	if err != nil {
		return result{}, err
	}
	o, err := with.Options(s)
	if err != nil {
		return result{}, err
	}
	got, err := s.Read(in.ID)
	if err != nil {
		return result{}, err
	}
	report := packet.Check(record.Input(got.Entry.ID, got.Document, with.Rules), o)
	text, err := reportText(got, report)
	return result{text, newChecked(got.Entry.ID, report)}, err
}

// reportText says the verdict, and then the report, which quotes the handoff, inside a frame.
func reportText(of handoff.Stored, r packet.Report) (string, error) {
	text, err := framed(of, packet.Text([]packet.Report{r}, false), 0)
	return fmt.Sprintf("%s is %s. The report quotes it:\n%s", of.Entry.ID, r.Class, text), err
}

type resumeArgs struct {
	checkArgs
	Operator string `json:"operator,omitempty" jsonschema:"who resumes (default who the server runs for)"`
	Accept   string `json:"accept,omitempty" jsonschema:"operational, to resume from such a handoff too"`
	Reason   string `json:"reason,omitempty" jsonschema:"with accept: why, for the audit log"`
}

func (p project) resume(ctx context.Context, in resumeArgs) (result, error) {
	found, s, err := p.open()
	if err != nil {
		return result{}, err
	}
	r := record.Request{ID: in.ID, Operator: in.Operator, Accept: in.Accept, Reason: in.Reason}
	if r.Checks, err = in.with(found); err != nil {
		return result{}, err
	}
	if r.Operator == "" {
		r.Operator = found.Me()
	}
	done, err := record.Resume(ctx, s, r)
	var refusal *record.Refusal
	if errors.As(err, &refusal) {
		return p.refused(s, in.ID, refusal)
	}
	if err != nil {
		return result{}, err
	}
	return resumed(s, done)
}

// refused shows the report after the error.
func (p project) refused(s *handoff.Store, id string, refusal *record.Refusal) (result, error) {
	got, err := s.Read(id)
	if err != nil {
		return result{}, err
	}
	text, err := reportText(got, refusal.Report)
	if err != nil {
		return result{}, err
	}
	if refusal.Again {
		text += "You resumed it before; nothing was consumed now.\n" + nextText(got, refusal.NextAction)
	}
	return result{text: text}, refusal
}

// nextText says what is next, which the handoff says, inside a frame.
func nextText(of handoff.Stored, next string) string {
	text, err := framed(of, next, 0)
	if err != nil || next == "" {
		return "The handoff does not say what is next; read it.\n"
	}
	return "What is next, as the handoff says:\n" + text
}

func resumed(s *handoff.Store, done record.Resumed) (result, error) {
	data := struct {
		handoff.Consumption
		Class packet.Class `json:"classification"`
	}{done.Consumption, done.Report.Class}
	text := fmt.Sprintf("Resumed %s as %s at %s (%s).\n", done.HandoffID, done.Operator, done.Time, done.Report.Class)
	got, err := s.Read(done.HandoffID)
	if err != nil {
		return result{text, data}, nil // resumed all the same
	}
	return result{text + nextText(got, done.NextAction), data}, nil
}
