package record

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/packet"
	"github.com/seed-78daf238/handoff/lib/work"
)

// Checks say what handoffs are checked against.
type Checks struct {
	MaxAge     time.Duration // of a fresh handoff
	AllowEmpty []string      // fields that may be empty
	Answers    *packet.Answers
	Now        time.Time     // the zero time asks the clock
	Rules      handoff.Rules // of universal records: schema.Universal()

	Work *work.Tree // that it is compared with; nil leaves that out

	Probe func(id string, references []string) []packet.Probed // puts claims to the test; nil runs nothing

	ConfirmedBy string // the operator who says that the answers mean what the packet says, in other words
}

// Options returns what packet.Check takes. The ledger of the store is read when the first token asks for
// it, and once for all packets. Checks that make no sense are handoff.ErrInvalid.
func (c Checks) Options(s *handoff.Store) (packet.CheckOptions, error) {
	ledger := sync.OnceValues(s.Records().Ledger)
	o := packet.CheckOptions{MaxAge: c.MaxAge, AllowEmpty: c.AllowEmpty, Answers: c.Answers, ConfirmedBy: c.ConfirmedBy, Now: c.Now, Holders: Holders(s), Probe: c.Probe, Standing: standing(s),
		Consumed: func(token, id string) (packet.Use, error) {
			l, err := ledger()
			if err != nil {
				return packet.Use{}, err
			}
			return use(l, token, id)
		}}
	if c.Work != nil {
		o.Work = func(references []string, f packet.Facts) packet.Work {
			return packet.Work(Work(*c.Work, references, f))
		}
	}
	if c.MaxAge < 0 {
		return o, invalid("give a duration such as 48h", "--max-age %s is negative", c.MaxAge)
	}
	switch {
	case c.ConfirmedBy == "":
	case c.Answers == nil:
		return o, invalid("give the answers that are confirmed", "--confirmed-by goes with --answers")
	case !form.IsSlug(c.ConfirmedBy, maxName):
		return o, invalid("give the id of an operator: 1 to 64 letters, digits, _ and -", "--confirmed-by %q is not a name of an operator", c.ConfirmedBy)
	}
	return o, checkAllowed(c.AllowEmpty)
}

// Work compares what a handoff says of the work, in its references and its record, with the work as it is now.
func Work(at work.Tree, references []string, f packet.Facts) work.Verdict {
	said := work.SaidBy(references)
	said.Claims = said.Claims || f.Tested
	for _, s := range f.Sums {
		said.Files = append(said.Files, work.File(s))
	}
	if !said.Is() {
		return work.Verdict{}
	}
	return at.Compare(context.Background(), said)
}

// standing says what has taken the place of stored handoffs, and whether somebody has them or has ended them.
func standing(s *handoff.Store) func(id string) packet.Standing {
	of, lives := s.Lifecycle().Successors(), sync.OnceValues(func() (map[string]handoff.Life, error) { return s.Lifecycle().Taking("") })
	return func(id string) packet.Standing {
		successors, beside := of(id)
		all, _ := lives() // what cannot be read is said of the token
		return packet.Standing{Successors: successors, Beside: beside, Taken: all[id].Take.Holds().Time, Done: all[id].Done.Time}
	}
}

// use says what the ledger knows of a token.
func use(l *handoff.Ledger, token, id string) (packet.Use, error) {
	by, err := l.Consumed(token, id)
	if err != nil {
		return packet.Use{}, err
	}
	if by != nil {
		return useOf(*by), nil
	}
	gap, err := l.Gap(id)
	return packet.Use{Gap: gap.Why, Since: gap.Since}, err
}

// useOf is a consumption as check knows it.
func useOf(c handoff.Consumption) packet.Use {
	return packet.Use{Consumed: true, Operator: c.Operator, Time: c.Time, HandoffID: c.HandoffID}
}

// invalid says what is wrong with a request: exit code 2.
func invalid(hint, format string, args ...any) error {
	return fault.New(fault.ErrInvalid, hint, format, args...)
}

// A Request says who wants to resume work from which handoff.
type Request struct {
	ID       string // as handoff.Read takes it
	Operator string
	Session  string // of an agent, for which it is resumed; "" for none
	Accept   string // "operational" to resume from such a handoff too
	Reason   string // for that
	Checks
}

// check refuses a request that contradicts itself, before anything is read.
func (r Request) check() error {
	switch {
	case r.Operator == "":
		return invalid("use --operator OP", "it is not said who resumes")
	case r.Accept != "" && r.Accept != "operational":
		return invalid("a CRITICAL handoff is never resumed from", "--accept %q: only operational can be accepted", r.Accept)
	case (r.Accept == "") != (r.Reason == ""):
		return invalid("give both", "--accept operational and --reason go together")
	}
	return handoff.CheckReason(r.Reason)
}

// A Resumed says what Resume did.
type Resumed struct {
	handoff.Consumption
	Brief
	Report packet.Report `json:"report"`
}

// Text says what was done, and in a frame what the handoff says is next.
func (r Resumed) Text() string {
	return fmt.Sprintf("Resumed %s as %s at %s (%s).\n", r.HandoffID, r.Operator, r.Time, r.Report.Class) + r.framed(r.HandoffID)
}

// A Refusal says that a handoff is not resumed from as it is. It wraps no class: nothing is wrong with
// the store.
type Refusal struct {
	Report packet.Report

	// Again says that it is the operator who resumed from the handoff. What was said then may be lost:
	// Brief is what the handoff says.
	Again bool
	Brief Brief
}

// Error is the verdict; the report says why.
func (r *Refusal) Error() string { return "the handoff is " + r.Verdict() + ", not CLEAN" }

// Plain is the same: it quotes nothing.
func (r *Refusal) Plain() string { return r.Error() }

// Text says what the operator who resumed before was told then; "" for others.
func (r *Refusal) Text() string {
	if !r.Again {
		return ""
	}
	by := r.Report.Consumed
	return fmt.Sprintf("\n%s resumed it at %s; nothing was consumed now.\n", by.Operator, handoff.EscapeLine(by.Time)) + r.Brief.framed(by.HandoffID)
}

// Verdict returns the classification.
func (r *Refusal) Verdict() string { return r.Report.Class.String() }

// Resume checks a stored handoff, consumes its resume token once and for all, and marks it as read.
// The error is a *Refusal for a handoff that is not CLEAN, or not OPERATIONAL and accepted, or was
// resumed before; or one of Store.Ledger, Store.CheckApproval or Store.Resume.
func Resume(ctx context.Context, s *handoff.Store, r Request) (Resumed, error) {
	if err := r.check(); err != nil {
		return Resumed{}, err
	}
	if err := s.Maintenance().Ready(); err != nil {
		return Resumed{}, err
	}
	if err := s.Maintenance().Recover(ctx); err != nil { // a resume that was interrupted may be the one that consumed the token
		return Resumed{}, err
	}
	if err := s.Lifecycle().CheckApproval(r.ID); errors.Is(err, fault.ErrDenied) {
		return Resumed{}, err
	}
	in, err := r.input(s)
	if err != nil {
		return Resumed{}, err
	}
	report, err := r.judge(s, in)
	if err != nil {
		return Resumed{}, err
	}
	says := in.Says()
	c := handoff.Consumption{Token: says.ResumeToken, HandoffID: in.ID, Operator: r.Operator, Session: r.Session, ConfirmedBy: report.ConfirmedBy}
	switch {
	case report.Class == packet.Clean:
	case report.Class == packet.Operational && r.Accept != "":
		c.Accepted, c.Reason = packet.Operational.String(), r.Reason
	default:
		return Resumed{}, r.refuse(report, in)
	}
	c, err = s.Records().Resume(ctx, c)
	if before := (*handoff.ConsumedError)(nil); errors.As(err, &before) { // since the check
		known := func(string, string) (packet.Use, error) { return useOf(before.By), nil }
		err = r.refuse(packet.Check(in, packet.CheckOptions{Consumed: known}), in)
	}
	return Resumed{c, briefOf(says), report}, err
}

// judge checks the handoff. That the store does not say what became of the token is an error of its
// own: it is none of the handoff's faults.
func (r Request) judge(s *handoff.Store, in packet.Input) (packet.Report, error) {
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

// refuse makes the refusal of a request. Who consumed the token before gets the brief once more: what was
// printed then may have been lost.
func (r Request) refuse(report packet.Report, in packet.Input) *Refusal {
	by := report.Consumed
	if by == nil || by.Operator != r.Operator || by.HandoffID != in.ID {
		return &Refusal{Report: report}
	}
	return &Refusal{report, true, briefOf(in.Says())}
}

// input reads the handoff. One that is unknown or not what was written is for the check to report: there
// is nothing to resume from.
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
