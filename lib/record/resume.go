package record

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

// Options returns the options of packet.Check, which ask the store. Contradictory checks are handoff.ErrInvalid.
func (c Checks) Options(s *handoff.Store) (packet.CheckOptions, error) {
	o := c.CheckOptions
	o.Holders, o.Standing = s.Records().Sharing, relationsOf(s)
	o.Consumed = func(token, id string) (u packet.Use, err error) {
		by, where, err := s.Records().Use(id, token)
		if u = useOf(by, where); err == nil && !u.Consumed && s.AuditLog().IsMissing() {
			u.Gap = "the audit log is missing: earlier uses of the token are unknown"
		}
		u.Since = s.AuditLog().Since()
		return u, err
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
	return func(id string) (r packet.Relations) {
		r.Successors, r.Beside = s.Lifecycle().Successors(id)
		if e, err := s.Find(id); err == nil { // the check of the token reports read errors
			life := e.Life()
			r.Taken, r.Done = life.Take.Time, life.Done.Time
		}
		return r
	}
}

// useOf returns who resumed a packet as a packet.Use.
func useOf(by handoff.Action, id string) packet.Use {
	return packet.Use{Consumed: by.IsDone(), Operator: by.Operator, Time: by.Time, HandoffID: id}
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
	HandoffID   string `json:"handoff_id"`
	Operator    string `json:"operator"`
	Time        string `json:"ts_utc"`
	Accepted    string `json:"accepted,omitempty"` // the class that was accepted
	Reason      string `json:"reason,omitempty"`
	ConfirmedBy string `json:"confirmed_by,omitempty"` // who confirmed the answers
	Session     string `json:"session_id,omitempty"`
	Until       string `json:"until,omitempty"` // the end of the lease
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
// those of Records.Resume.
func Resume(ctx context.Context, s *handoff.Store, r Request) (Resumed, error) {
	if err := r.check(); err != nil {
		return Resumed{}, err
	}
	if err := s.Maintenance().Ready(); err != nil {
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
	done := Resumed{HandoffID: in.ID, Operator: r.Operator, Session: r.Session, ConfirmedBy: report.ConfirmedBy,
		Brief: briefOf(says), Report: report}
	switch {
	case report.Class == packet.Clean:
	case report.Class == packet.Operational && r.Accept != "":
		done.Accepted, done.Reason = packet.Operational.String(), r.Reason
	default:
		return Resumed{}, r.refuse(report, in)
	}
	who := handoff.Who{Operator: r.Operator, Session: r.Session, Reason: r.Reason}
	if report.ConfirmedBy != "" {
		who.Reason = strings.TrimPrefix(r.Reason+"; ", "; ") + "answers confirmed by " + report.ConfirmedBy
	}
	got, err := s.Records().Resume(ctx, in.ID, who)
	if before, is := errors.AsType[*handoff.ConsumedError](err); is { // since the check
		known := func(string, string) (packet.Use, error) { return useOf(before.By, before.ID), nil }
		err = r.refuse(packet.Check(in, packet.CheckOptions{Consumed: known}), in)
	}
	done.Time, done.Until = got.Time, got.Until
	return done, err
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
