package handoff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/kind"
	"github.com/seed-78daf238/handoff/lib/relation"
	"github.com/seed-78daf238/handoff/lib/work"
)

// RecordOptions control how a record becomes a handoff.
type RecordOptions struct {
	kind.Given
	Head   Document  // overrides the fields of the record; its body is ignored
	At     time.Time // the present time
	Skills bool      // the skills of a universal handoff are sender and recipient: there is no OPERATORS.md

	Redact bool                   // replace credentials in the record instead of refusing it
	Allow  []string               // rules of the secret scan whose findings are allowed
	Store  func() (*Store, error) // the store with earlier run records
	Warn   func(text string)      // receives what a check will find; nil drops it
}

// RecordSource returns the source that stores a record, JSON of any kind.
func RecordSource(name string, text []byte, o RecordOptions) Source {
	return o.Source(name, func(g kind.Given) (kind.Record, error) { return kind.Read(text, g) })
}

// Source returns the source that stores the record that read returns. It is read when the source is used, after the
// store has checked its machine. Errors have the name.
func (o RecordOptions) Source(name string, read func(kind.Given) (kind.Record, error)) Source {
	return Source{Name: name, Make: func() (Made, error) {
		made, err := o.make(name, read)
		if faults, is := errors.AsType[*DocumentError](err); is {
			err = &DocumentError{Name: name, Faults: faults.Faults}
		} else if err != nil {
			err = fmt.Errorf("%s%w", fault.Prefixed(name), err)
		}
		return made, err
	}}
}

func (o RecordOptions) make(name string, read func(kind.Given) (kind.Record, error)) (Made, error) {
	var screened operators.Screened
	var failed error
	g := o.Given
	g.Screen = func(texts []kind.Text) (allowed []string, isChanged bool, err error) {
		screened, err = operators.Gate{Allow: o.Allow, Redact: o.Redact}.Texts("", texts)
		return screened.Allowed, len(screened.Redacted) > 0, err
	}
	g.Carried = func(r kind.Record) (texts []string) {
		if o.Store == nil {
			return nil
		}
		s, err := o.Store()
		var entries []kind.Entry
		if failed = err; err == nil {
			entries, _, failed = s.Records().Runs()
		}
		for _, open := range kind.Carry(kind.Before(entries, r.Text("/project_id"), r.Text("/task_id"),
			r.Text("/created_at"))) {
			if open.List == "assumptions" {
				texts = append(texts, open.Text)
			}
		}
		return texts
	}
	r, err := read(g)
	if err = cmp.Or(err, failed, r.Err()); err != nil {
		return Made{}, err
	}
	o.warn(name, r)
	doc, err := o.document(r)
	return Made{Document: doc, Redacted: screened.Redacted}, err
}

// warn tells what a check of the record will find.
func (o RecordOptions) warn(name string, r kind.Record) {
	if o.Warn == nil {
		return
	}
	for _, w := range r.Warnings {
		w.Line = 0 // the text may have been made here
		o.Warn(fault.Prefixed(name) + w.String())
	}
	report := kind.Check(kind.Input{Record: &r}, kind.CheckOptions{Now: o.At, AllowEmpty: o.AllowEmpty})
	for _, found := range report.Checks {
		if !found.Pass {
			o.Warn(fault.Prefixed(name) + "`handoff check` will find: " + found.Check + ": " + found.Reason)
		}
	}
}

// document returns the handoff of a record. Without a recipient it goes to whoever works here next.
func (o RecordOptions) document(r kind.Record) (Document, error) {
	d := o.Head
	from, to, topic, at := r.Head()
	switch {
	case r.Name == kind.Run && o.Me == "":
		d.From = cmp.Or(d.From, TopicFrom(from[strings.LastIndexByte(from, ':')+1:]))
	case r.Name == kind.Universal && o.Skills:
		d.From = cmp.Or(d.From, strings.Trim(form.Slug(from, 64), "-"))
		d.To = cmp.Or(d.To, strings.Trim(form.Slug(to, 64), "-"))
	}
	d.SchemaVersion, d.Body = "1.0", r.Body()
	d.From, d.To, d.Topic = cmp.Or(d.From, o.Me), cmp.Or(d.To, Next), cmp.Or(d.Topic, TopicFrom(topic), r.Name)
	if d.Time == "" && document.CheckTime(at, o.At) == nil {
		d.Time = at
	}
	if d.Time = cmp.Or(d.Time, o.Now); d.From == "" {
		return d, fault.Invalid("run `handoff init`, set HANDOFF_OPERATOR, or add --from NAME",
			"I don't know who you are")
	}
	return d, nil
}

// InputOf returns a handoff as the input of a check.
func InputOf(name string, d Document) kind.Input {
	in := kind.Input{Name: name, ID: d.HandoffID, Text: d.Body, Time: d.Time, References: d.References}
	if r, is := kind.Extract(d.Body); is {
		in.Record = &r
	}
	return in
}

// A Checking is what a check or a resume asks.
type Checking struct {
	kind.CheckOptions
	Tree              *work.Tree // to compare with; nil compares nothing
	Operator, Session string     // who asks: what they hold is no fault
}

// options completes the options with what the store knows.
func (c Checking) options(s *Store) (kind.CheckOptions, error) {
	o := c.CheckOptions
	o.Held = s.Records().Sharing
	o.Use = func(token, id string) (kind.Use, error) { return c.use(s, token, id) }
	o.State = func(id string) (state kind.State) {
		state.Successors = s.Lifecycle().Successors(id)
		if e, err := s.Find(id); err == nil { // the check of the token reports read errors
			life := e.Life()
			state.Holder, state.Taken, state.Done = life.Take.Operator, life.Take.Time, life.Done.Time
			state.Mine = life.Take.Operator == c.Operator && life.Take.Session == c.Session && c.Operator != ""
		}
		return state
	}
	if c.Tree != nil {
		o.Work = func(said relation.Set) work.Verdict { return c.Tree.Compare(context.Background(), said) }
	}
	switch {
	case c.MaxAge < 0:
		return o, fault.Invalid("use a duration such as 48h", "--max-age %s is negative", c.MaxAge)
	case c.ConfirmedBy != "":
		if err := CheckOperator(c.ConfirmedBy); err != nil {
			return o, err
		}
	}
	return o, kind.CheckAllowEmpty(c.AllowEmpty)
}

// use returns who resumed a handoff, or another one with its token.
func (c Checking) use(s *Store, token, id string) (u kind.Use, err error) {
	look, err := s.look(false)
	if err != nil {
		return u, err
	}
	if s.AuditLog().IsMissing() {
		u.Gap = "the audit log is missing: earlier uses of the token are unknown"
	}
	u.Since = s.AuditLog().Since()
	for _, h := range look.All() {
		if h.ID != id && (token == "" || h.Record.Token != tokenHash(token)) {
			continue
		}
		if l := look.Life(h); l.Resumed != nil {
			u.Operator, u.Time, u.HandoffID = l.Resumed.Operator, stamp(l.Resumed.At), h.ID
			isFree := l.Holder == nil || l.Holder.Session != "" || l.IsOver(look.Now) // a session can have ended
			switch {
			case l.End != nil, !isFree:
			case h.IsTo(c.Operator):
				u.Take = "handoff take " + short(cmp.Or(id, h.ID))
			default:
				u.Take = "handoff take --for-other " + short(cmp.Or(id, h.ID))
			}
			u.Mine = h.ID == id && u.Operator == c.Operator && l.End == nil && l.IsHeldBy(c.Operator, c.Session)
			return u, nil
		}
	}
	return u, nil
}

// Check checks an artifact, and records in the audit log who confirmed the answers. It consumes and marks nothing.
func (s *Store) Check(ctx context.Context, in kind.Input, c Checking) (kind.Report, error) {
	o, err := c.options(s)
	if err != nil {
		return kind.Report{}, err
	}
	if c.ConfirmedBy != "" && c.Answers == nil {
		return kind.Report{}, fault.Invalid("add --answers FILE", "--confirmed-by needs --answers")
	}
	r := kind.Check(in, o)
	switch {
	case r.ConfirmedBy == "":
	case in.ID == "":
		r.Notes = append(r.Notes, "the artifact is not stored: the audit log does not record who confirmed the answers")
	case !s.AuditLog().Confirm(ctx, in.ID, r.ConfirmedBy):
		r.Notes = append(r.Notes,
			"the audit log is busy or cannot be written: it does not record who confirmed the answers")
	}
	return r, nil
}

// A Request names the handoff to resume, and who resumes it.
type Request struct {
	ID string // as in Read
	Checking
	Accept bool   // an OPERATIONAL handoff too
	Reason string // why it is accepted
}

// A Resumed is the result of Resume.
type Resumed struct {
	ID          string      `json:"handoff_id"`
	Operator    string      `json:"operator"`
	Time        string      `json:"ts_utc"`
	Accepted    string      `json:"accepted,omitempty"` // the class that was accepted
	Reason      string      `json:"reason,omitempty"`
	ConfirmedBy string      `json:"confirmed_by,omitempty"`
	Session     string      `json:"session_id,omitempty"`
	Until       string      `json:"until,omitempty"` // the end of the lease
	NextAction  string      `json:"next_action"`
	Objective   string      `json:"objective,omitempty"`
	Unresolved  []string    `json:"unresolved,omitempty"`
	Completed   []string    `json:"completed,omitempty"`
	Assumptions []string    `json:"assumptions,omitempty"`
	Risks       []string    `json:"risks,omitempty"`
	Again       bool        `json:"again,omitempty"` // the holder had resumed it before
	Report      kind.Report `json:"report"`
	text        string
}

// Text returns the result for people and agents: the next action and the packet, in a frame.
func (r Resumed) Text() string {
	head := fmt.Sprintf("Resumed as %s (%s).\n", r.Operator, r.Report.Class)
	if r.Again {
		head = "Resumed by you at " + EscapeLine(r.Time) + ".\n"
	}
	for _, note := range r.Report.Notes {
		head = "Note: " + note + "\n" + head
	}
	for _, c := range r.Report.Checks {
		if !c.Pass {
			head = "Caution: " + c.Check + ": " + c.Reason + "\n" + head
		}
	}
	of := Stored{Document: Document{Body: r.text}}
	of.Entry.ID = short(r.ID)
	framed, _ := Framed(of, Frame{MaxChars: DefaultSurfaceMaxChars})
	if r.NextAction == "" {
		return head + "The handoff names no next action. Its words:\n" + framed
	}
	return head + "The next action, in the words of the handoff:\n" + framed
}

// brief returns what an operator needs before the first step. The next action is first, since the end can be cut off.
func brief(f kind.Facts) string {
	var b strings.Builder
	for _, fact := range []struct{ name, label string }{{"next_action", "Next action"}, {"objective", "Objective"},
		{"unresolved", "Unresolved"}, {"assumptions", "Assumptions"}, {"risks", "Risks"}, {"completed", "Completed"}} {
		switch all := f[fact.name]; len(all) {
		case 0:
		case 1:
			b.WriteString(fact.label + ": " + all[0] + "\n")
		default:
			b.WriteString(fact.label + ":\n- " + strings.Join(all, "\n- ") + "\n")
		}
	}
	return b.String()
}

// A Refusal is the error for a handoff that cannot be resumed as it is. It wraps no class: the store is fine.
type Refusal struct{ Report kind.Report }

// Error returns the verdict. The report has the reasons.
func (r *Refusal) Error() string { return "the handoff is " + r.Verdict() }

// Plain returns the same: the text quotes nothing.
func (r *Refusal) Plain() string { return r.Error() }

// Verdict returns the classification.
func (r *Refusal) Verdict() string { return r.Report.Class.String() }

// Resume checks a stored handoff, consumes its resume token once and for all, takes it and marks it as read. Its holder
// may repeat that. The error is a *Refusal if the handoff is OPERATIONAL and not accepted, or CRITICAL; other errors
// are those of Act.
func (s *Store) Resume(ctx context.Context, r Request) (Resumed, error) {
	o, err := r.options(s)
	if err = cmp.Or(r.check(), err, CheckReason(r.Reason), s.Maintenance().Ready()); err != nil {
		return Resumed{}, err
	}
	got, err := s.Read(r.ID)
	in := InputOf(got.Entry.ID, got.Document)
	switch {
	case errors.Is(err, ErrInvalid), errors.Is(err, ErrIntegrity):
		in = kind.Input{Name: r.ID, Err: err}
	case err != nil:
		return Resumed{}, err
	}
	ask := o.Use
	o.Use = func(token, id string) (u kind.Use,
		failed error) { // that the log cannot be read is no fault of the handoff
		u, err = ask(token, id)
		return u, err
	}
	report := kind.Check(in, o)
	if err != nil && in.Err == nil {
		return Resumed{}, err
	}
	done := r.resumed(in, report)
	switch {
	case done.Again || report.Class < kind.Operational:
	case report.Class == kind.Operational && (r.Accept || r.isConfirmed(report)):
		done.Accepted, done.Reason = report.Class.String(), r.Reason
	default:
		return Resumed{}, &Refusal{report}
	}
	who := Who{Operator: r.Operator, Session: r.Session, Reason: r.Reason}
	if r.ConfirmedBy != "" {
		who.Reason = strings.TrimPrefix(r.Reason+"; ", "; ") + "confirmed by " + r.ConfirmedBy
	}
	receipt, err := s.Records().Resume(ctx, in.ID, who)
	if taken, is := errors.AsType[*TakenError](err); is && taken.Ended == hasResumed { // since the check
		o.Use = ask
		err = &Refusal{kind.Check(in, o)}
	}
	if done.Time, done.Until = receipt.Time, receipt.Until; done.Again {
		done.Time = report.Consumed.Time
	}
	return done, err
}

// check returns an error for a request without an operator, or with half of an acceptance.
func (r Request) check() error {
	switch {
	case r.Operator == "":
		return fault.Invalid("run `handoff init`, set HANDOFF_OPERATOR, or add --operator NAME",
			"I don't know who you are")
	case r.Accept != (r.Reason != ""):
		return fault.Invalid("add the other one", "--accept needs --reason, and the reverse")
	}
	return nil
}

// resumed returns what the request gets if it is granted.
func (r Request) resumed(in kind.Input, report kind.Report) Resumed {
	done := Resumed{ID: in.ID, Operator: r.Operator, Session: r.Session, ConfirmedBy: report.ConfirmedBy,
		Report: report,
		Again:  report.Consumed != nil && report.Consumed.Mine, text: in.Text}
	if in.Record == nil {
		return done
	}
	f := in.Record.Facts()
	done.NextAction, done.Objective = strings.Join(f["next_action"], "; "), strings.Join(f["objective"], "; ")
	done.Unresolved, done.Completed, done.Assumptions, done.Risks = f["unresolved"], f["completed"], f["assumptions"],
		f["risks"]
	done.text = brief(f)
	return done
}

// isConfirmed reports whether dangerous instructions are all that speaks against a handoff, and somebody confirms them.
func (r Request) isConfirmed(report kind.Report) bool {
	return r.ConfirmedBy != "" && !slices.ContainsFunc(report.Checks, func(c kind.Result) bool {
		return !c.Pass && c.Check != "Instructions"
	})
}

// Runs returns the run records of a store, the newest first. Records that cannot be proven are named in withheld.
func (r Records) Runs() (entries []kind.Entry, withheld []error, err error) {
	found, withheld, err := r.Carrying(kind.Run)
	for _, got := range found {
		if record, is := kind.Extract(got.Body); is {
			entries = append(entries, kind.Entry{HandoffID: got.Entry.ID, Record: record})
		}
	}
	return entries, withheld, err
}
