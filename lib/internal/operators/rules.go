package operators

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// Rules are what a project says about its operators.
type Rules struct {
	List   *List        // nil if there is no operators file
	Broken error        // why the operators file cannot be used
	Path   string       // of the operators file, in messages
	Off    bool         // operators are not verified
	Warn   func(string) // if not nil, it receives a warning about an unverified operator, who is then accepted
	Now    time.Time

	Document string // its name in the messages of Admit, "" for none

	isAccepted bool
}

// Accepted returns the rules that the newest operators.trust event has, at a time. nil means that there is none, so
// everybody counts. They do not warn.
func Accepted(r *log.Rules, now time.Time) Rules {
	a := Rules{Path: "the accepted rules", Now: now, isAccepted: true}
	if r == nil {
		return a
	}
	if a.Off = !r.Verify; r.Mode == "warn" {
		a.Warn = func(string) {}
	}
	var err error
	if a.List, err = FromJSON(r.Operators); err != nil {
		a.Broken = fault.Config("run `handoff operators trust`", "the accepted rules in %s cannot be used: %v",
			log.FileName, err)
	}
	return a
}

// Event returns what an operators.trust event records to accept the rules. Broken rules have no such event.
func (r Rules) Event() *log.Rules {
	mode := "strict"
	if r.Warn != nil {
		mode = "warn"
	}
	return &log.Rules{Operators: r.List.JSON(), Verify: !r.Off, Mode: mode}
}

// Same reports whether two records decide alike. All records without operators, nil too, are the same.
func Same(a, b *log.Rules) bool {
	none := func(r *log.Rules) bool { return r == nil || len(r.Operators) <= len("null") }
	if none(a) || none(b) {
		return none(a) && none(b)
	}
	return bytes.Equal(a.Operators, b.Operators) && a.Verify == b.Verify && a.Mode == b.Mode
}

// ForFacts returns the rules for a view of the facts. They are nil if everybody may do everything.
func (r Rules) ForFacts() *facts.Rules {
	if r.Off || r.List == nil {
		return nil
	}
	knows := func(operator string, at time.Time) bool { return r.Warn != nil || r.List.IsActive(operator, at) }
	return &facts.Rules{Knows: knows, Can: r.List.Can}
}

// Verify returns the status of an operator.
func (r Rules) Verify(operator string) Status {
	switch {
	case r.Off:
		return Status{State: Disabled}
	case r.List == nil:
		return Status{State: BootstrapPending}
	}
	status := r.List.Verify(operator, r.Now)
	if r.isAccepted && status.Reason != "" {
		status.Reason, status.Advice = "by the accepted rules, "+status.Reason, "run `handoff operators trust`"
	}
	return status
}

// Admit returns how the operators of a document were verified, as its event records it: the worse of the two. It is
// fault.ErrDenied if one of them is not verified, unless the rules warn. It is Broken if there is no usable file.
func (r Rules) Admit(from, to string) (verification string, err error) {
	if to == document.Next {
		return r.check("from: ", from)
	}
	return r.check("from: ", from, "to: ", to)
}

// MayMark returns nil if an operator may mark handoffs as read, otherwise fault.ErrDenied, or Broken.
func (r Rules) MayMark(operator string) error {
	_, err := r.check("", operator)
	return err
}

// check verifies operators, each with a name before it, and returns the worst state: the first in the alphabet.
func (r Rules) check(named ...string) (verification string, err error) {
	if r.Broken != nil && !r.Off {
		return "", r.Broken
	}
	verification = string(Verified)
	var reasons, advice []string
	for i := 0; i < len(named); i += 2 {
		status := r.Verify(named[i+1])
		verification = min(verification, string(status.State))
		if status.Reason != "" {
			reasons, advice = append(reasons, named[i]+status.Reason), append(advice, status.Advice)
		}
	}
	if reasons == nil {
		return verification, nil
	}
	err = fault.Denied(strings.Join(slices.Compact(advice), ", and "), "%s",
		fault.Prefixed(r.Document)+strings.Join(reasons, "; "))
	if r.Warn != nil {
		r.Warn("[UNVERIFIED-IDENTITY] " + err.Error())
		err = nil
	}
	return verification, err
}

// MayArchive is like MayMark for archiving a handoff, undoing it, and pruning.
func (r Rules) MayArchive(operator, from, to string) error {
	if err := r.MayMark(operator); err != nil {
		return err
	}
	if operator == from || document.IsTo(to, operator) || r.List.Can(operator, "archive", r.Now) {
		return nil
	}
	return fault.Denied("ask "+from+" or "+to+", or an operator with the capability archive in "+r.Path,
		"%s may not archive a handoff from %s to %s", fault.Own(operator), from, to)
}

// MayAct is like MayMark for a turn about a handoff. Whether the turn then counts, the life of the handoff decides.
func (r Rules) MayAct(t *facts.Turn, h *facts.Handoff) error {
	if err := r.MayMark(t.Operator); err != nil {
		return err
	}
	switch isHuman := r.ForFacts() == nil || r.List.Can(t.Operator, "human", r.Now); {
	case t.Type == log.Withdraw && t.Operator != h.From:
		id := strings.TrimPrefix(h.ID, "sha256:")
		return fault.Denied("ask "+h.From, "%s was sent by %s: only its sender can withdraw it",
			fault.Own(id[:min(len(id), 8)]), fault.Own(h.From))
	case t.Over && !h.IsTo(t.Operator) && !isHuman:
		return fault.Denied("ask "+h.To+", or an operator with the capability human in "+r.Path,
			"%s may not end the take of another operator", fault.Own(t.Operator))
	}
	return nil
}
