package record

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/work"
)

// Checks are the options of a check. Options sets what packet.CheckOptions ask of the store.
type Checks struct {
	packet.CheckOptions
	Rules handoff.Rules // for universal records: schema.Universal()
	Tree  *work.Tree    // to compare with; nil compares nothing
}

// Options returns the options of packet.Check. They read the ledger of the store at the first token, and only
// once. Contradictory checks are handoff.ErrInvalid.
func (c Checks) Options(s *handoff.Store) (packet.CheckOptions, error) {
	ledger := sync.OnceValues(s.Records().Ledger)
	o := c.CheckOptions
	o.Holders, o.Standing = Holders(s), relationsOf(s)
	o.Consumed = func(token, id string) (packet.Use, error) {
		l, err := ledger()
		if err != nil {
			return packet.Use{}, err
		}
		if by := l.Consumed(token, id); by != nil {
			return useOf(*by), nil
		}
		gap, err := l.Gap(id)
		return packet.Use{Gap: gap.Why, Since: gap.Since}, err
	}
	if c.Tree != nil {
		o.Work = func(references []string, f packet.Facts) work.Verdict { return Work(*c.Tree, references, f) }
	}
	if c.MaxAge < 0 {
		return o, invalid("use a duration such as 48h", "--max-age %s is negative", c.MaxAge)
	}
	if c.ConfirmedBy != "" {
		if c.Answers == nil {
			return o, invalid("add --answers FILE", "--confirmed-by needs --answers")
		}
		if err := handoff.CheckOperator(c.ConfirmedBy); err != nil {
			return o, err
		}
	}
	return o, checkAllowed(c.AllowEmpty)
}

// Work compares the references and the record of a handoff with the work as it is now.
func Work(at work.Tree, references []string, f packet.Facts) work.Verdict {
	said := work.BaselineOf(references)
	for _, s := range f.Sums {
		said.Files = append(said.Files, work.File(s))
	}
	if !said.HasAny() {
		return work.Verdict{}
	}
	return at.Compare(context.Background(), said)
}

// relationsOf returns a function that finds the successors of a stored handoff, and when it was taken and done.
func relationsOf(s *handoff.Store) func(id string) packet.Relations {
	of, lives := s.Lifecycle().Successors(),
		sync.OnceValues(func() (map[string]handoff.Life, error) { return s.Lifecycle().Taking("") })
	return func(id string) packet.Relations {
		successors, beside := of(id)
		all, _ := lives() // the check of the token reports read errors
		return packet.Relations{Successors: successors, Beside: beside,
			Taken: all[id].Take.Holds().Time, Done: all[id].Done.Time}
	}
}

// useOf returns a consumption as a packet.Use.
func useOf(c handoff.Consumption) packet.Use {
	return packet.Use{Consumed: true, Operator: c.Operator, Time: c.Time, HandoffID: c.HandoffID}
}

// invalid returns the error for a contradictory request: exit code 2.
func invalid(hint, format string, args ...any) error {
	return fault.Invalid(hint, format, args...)
}

// A Request names the handoff to resume, and who resumes it.
type Request struct {
	ID       string // as in handoff.Read
	Operator string
	Session  string // the agent session that resumes; "" for none
	Accept   string // "operational" also accepts that class
	Reason   string // for accepting it
	Checks
}

// check refuses a contradictory request before anything is read.
func (r Request) check() error {
	switch {
	case r.Operator == "":
		return invalid("run `handoff init`, set HANDOFF_OPERATOR, or add --operator NAME", "I don't know who you are")
	case r.Accept != "" && r.Accept != "operational":
		return invalid("use operational; a CRITICAL handoff is never resumed", "--accept: unknown class %q", r.Accept)
	case (r.Accept == "") != (r.Reason == ""):
		return invalid("add the other one", "--accept operational needs --reason, and the reverse")
	}
	return handoff.CheckReason(r.Reason)
}

// A Resumed is the result of Resume.
type Resumed struct {
	handoff.Consumption
	Brief
	Report packet.Report `json:"report"`
}

// Text returns the result for people and agents, with the brief of the handoff in a frame.
func (r Resumed) Text() string {
	return fmt.Sprintf("Resumed as %s (%s).\n", r.Operator, r.Report.Class) +
		r.framed(r.HandoffID)
}

// A Refusal is the error for a handoff that cannot be resumed as it is. It wraps no class: the store is fine.
type Refusal struct {
	Report packet.Report

	// Again reports that the same operator resumed the handoff before. Brief repeats the brief, since the first
	// output may be lost.
	Again bool
	Brief Brief
}

// Error returns the verdict. The report has the reasons.
func (r *Refusal) Error() string { return "the handoff is " + r.Verdict() + ", not CLEAN" }

// Plain returns the same: the text quotes nothing.
func (r *Refusal) Plain() string { return r.Error() }

// Text returns the earlier brief if the same operator resumed the handoff before, else "".
func (r *Refusal) Text() string {
	if !r.Again {
		return ""
	}
	by := r.Report.Consumed
	return fmt.Sprintf("\n%s resumed it at %s; nothing was consumed now.\n", by.Operator, handoff.EscapeLine(by.Time)) +
		r.Brief.framed(by.HandoffID)
}

// Verdict returns the classification.
func (r *Refusal) Verdict() string { return r.Report.Class.String() }

// Resume checks a stored handoff, consumes its resume token once and for all, and marks it as read. The error is
// a *Refusal if the handoff is not CLEAN (or OPERATIONAL and accepted) or was resumed before. Other errors are
// those of Store.Ledger and Store.Resume.
func Resume(ctx context.Context, s *handoff.Store, r Request) (Resumed, error) {
	if err := r.check(); err != nil {
		return Resumed{}, err
	}
	if err := s.Maintenance().Ready(); err != nil {
		return Resumed{}, err
	}
	// An interrupted resume may have consumed the token already.
	if err := s.Maintenance().Recover(ctx); err != nil {
		return Resumed{}, err
	}
	in, err := r.input(s)
	if err != nil {
		return Resumed{}, err
	}
	report, err := r.checkHandoff(s, in)
	if err != nil {
		return Resumed{}, err
	}
	says := in.Says()
	c := handoff.Consumption{Token: says.ResumeToken, HandoffID: in.ID, Operator: r.Operator, Session: r.Session,
		ConfirmedBy: report.ConfirmedBy}
	switch {
	case report.Class == packet.Clean:
	case report.Class == packet.Operational && r.Accept != "":
		c.Accepted, c.Reason = packet.Operational.String(), r.Reason
	default:
		return Resumed{}, r.refuse(report, in)
	}
	c, err = s.Records().Resume(ctx, c)
	if before, is := errors.AsType[*handoff.ConsumedError](err); is { // consumed since the check
		known := func(string, string) (packet.Use, error) { return useOf(before.By), nil }
		err = r.refuse(packet.Check(in, packet.CheckOptions{Consumed: known}), in)
	}
	return Resumed{c, briefOf(says), report}, err
}

// checkHandoff checks the handoff. If the store cannot tell whether the token was consumed, that is an error, not a
// fault of the handoff.
func (r Request) checkHandoff(s *handoff.Store, in packet.Input) (packet.Report, error) {
	o, err := r.Options(s)
	if err != nil {
		return packet.Report{}, err
	}
	ask, unknown := o.Consumed, error(nil)
	o.Consumed = func(token, id string) (used packet.Use, err error) {
		used, unknown = ask(token, id)
		return used, unknown
	}
	report := packet.Check(in, o)
	return report, unknown
}

// refuse returns the refusal of a request. If the same operator resumed before, it repeats the brief.
func (r Request) refuse(report packet.Report, in packet.Input) *Refusal {
	by := report.Consumed
	if by == nil || by.Operator != r.Operator || by.HandoffID != in.ID {
		return &Refusal{Report: report}
	}
	return &Refusal{report, true, briefOf(in.Says())}
}

// input reads the handoff. If it is missing or changed, the check reports that.
func (r Request) input(s *handoff.Store) (packet.Input, error) {
	got, err := s.Read(r.ID)
	switch {
	case errors.Is(err, handoff.ErrInvalid), errors.Is(err, handoff.ErrIntegrity):
		return packet.Input{Name: r.ID, Err: err}, nil
	case err != nil:
		return packet.Input{}, err
	}
	return Input(got.Entry.ID, got.Document, r.Rules), nil
}
