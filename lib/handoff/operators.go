package handoff

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Registry gives access to the operators of a store: the operators file, and the rules that were accepted.
type Registry struct{ s *Store }

// Registry returns the operators of the store.
func (s *Store) Registry() Registry { return Registry{s} }

// Policy returns the operators file of the project: the operators, and what each of them can do. It returns nil if
// there is no such file. The error is ErrConfig if the file cannot be used.
func (r Registry) Policy() (*OperatorList, error) { return r.s.at.Operators() }

// Text returns the text of the operators file of the project. The error is ErrConfig if the file cannot be read or lies
// outside of the project, and fs.ErrNotExist if it is missing.
func (r Registry) Text() ([]byte, error) { return r.s.at.OperatorsText() }

// ParseOperators parses the text of an operators file, and returns all its faults.
func ParseOperators(text []byte) (*OperatorList, []Fault) { return operators.ParseFile(text) }

// Verify returns the status of an operator as a sender of handoffs. The error is ErrInvalid if id is not an operator
// name, otherwise that of Policy.
func (r Registry) Verify(id string) (OperatorStatus, error) {
	if err := checkOperator(id); err != nil {
		return OperatorStatus{}, err
	}
	rules := r.s.at.Rules()
	if rules.Broken != nil && !rules.Off {
		return OperatorStatus{}, rules.Broken
	}
	return rules.Verify(id), nil
}

// WhyUnknown returns why an operator is probably a typo, or "" if it is known. With an operators file, an operator is
// unknown if the file does not list it. sure reports that it is a typo, not a newcomer: the file does not list it, or a
// known name is similar.
func (r Registry) WhyUnknown(operator string) (why string, sure bool) {
	if list, err := r.Policy(); err != nil || list != nil || operator == Next {
		if err != nil || operator == Next || list.Has(operator) {
			return "", false
		}
		return list.Verify(operator, r.s.opt.Now()).Reason, true
	}
	names, err := r.names()
	if err != nil {
		return "", false
	}
	return names.whyUnknown(operator)
}

// names are the names in a store without an operators file.
type names struct {
	acted  []string // they wrote, read or took something here, or the user confirmed them
	sentTo []string // all others that handoffs are to
	me     func() string
}

func (r Registry) names() (n names, err error) {
	look, err := r.s.look(true)
	if err != nil {
		return n, err
	}
	return r.s.namesIn(look.View), nil
}

func (s *Store) namesIn(v facts.View) names {
	acted, sentTo := v.Names()
	return names{append(acted, s.at.Confirmed()...), sentTo, s.opt.Me}
}

func (n names) isKnown(name string) bool { return slices.Contains(n.acted, name) || name == Next }

// near returns the name that is probably meant by another one, "" if none is similar.
func (n names) near(name string) string {
	switch {
	case strings.EqualFold(name, Next):
		return Next
	case strings.EqualFold(name, "me") && n.me != nil:
		return n.me()
	}
	near := form.Nearest(name, n.acted)
	if near == "" && !slices.Contains(n.sentTo, name) {
		near = form.Nearest(name, n.sentTo)
	}
	return near
}

// whyUnknown returns why a name is probably a typo, or new here, "" if it is known. sure reports that a known name is
// similar.
func (n names) whyUnknown(name string) (why string, sure bool) {
	if n.isKnown(name) || len(n.acted)+len(n.sentTo) == 0 {
		return "", false
	}
	switch near := n.near(name); {
	case near != "":
		return name + " is new here; did you mean " + near + "?", true
	case !slices.Contains(n.sentTo, name):
		why = name + " is new here"
	}
	return why, false
}

// Meant returns the name that is probably meant by a new one, "" if it is known or none is similar. The error is
// ErrInvalid for a name that differs from a known one in case alone, and for a word that means several people. With an
// operators file, storing judges the other names.
func (r Registry) Meant(name string) (near string, err error) {
	list, err := r.Policy()
	if err != nil || name == "" || name == Next || list.Has(name) || slices.Contains(list.Teams(), name) {
		return "", nil // storing reports the file
	}
	n, err := r.names()
	if err != nil {
		return "", nil
	}
	known := append(n.acted, Next)
	switch {
	case list != nil:
		known = nil
	case !slices.Contains(known, name) && !slices.Contains(n.sentTo, name):
		known = append(known, n.sentTo...)
	}
	same := slices.IndexFunc(known, func(other string) bool { return strings.EqualFold(other, name) })
	switch {
	case slices.Contains(known, name):
		return "", nil
	case same >= 0:
		return "", fault.Invalid("write "+known[same], "no operator has the name %q, but %s", name, known[same])
	case strings.EqualFold(name, "all"), strings.EqualFold(name, "everyone"):
		return "", fault.Invalid("name each, such as ben,cy, or a team of OPERATORS.md", "%q is not an operator name",
			name)
	case list != nil:
		return "", nil
	}
	return n.near(name), nil
}

// CheckNew returns ErrInvalid for a name that no operator can have here: one without the form of a name, one that
// differs from a known one in case alone, or a word such as me, next or all.
func (r Registry) CheckNew(name string) error {
	_, err := r.Meant(name)
	if strings.EqualFold(name, "me") {
		err = fault.Invalid("use the name that others write in --to", "%q is not an operator name", name)
	}
	return cmp.Or(checkOperator(name), err)
}

// Confirm makes a name known to the user who runs the program, in this store.
func (r Registry) Confirm(name string) { r.s.at.Confirm(name) }

// firstNames returns notes about new names of documents, since they may be typos. With an operators file there are
// none. A new recipient is noted once unless a known name is similar, and not while nobody else has acted here.
func (s *Store) firstNames(v facts.View, docs []*accepted) (notes []string) {
	if rules := s.at.Rules(); rules.List != nil || rules.Off {
		return nil
	}
	n := s.namesIn(v)
	for _, d := range docs {
		for i, name := range []string{d.To, d.From} {
			why, sure := n.whyUnknown(name)
			if why != "" && (i == 0 || sure) && !slices.Contains(notes, why) {
				notes = append(notes, why)
			}
		}
	}
	return notes
}

// Add adds an entry to the operators file, or creates the file. If the rules before were the accepted ones, the new
// ones are too. The error is ErrInvalid if the operator is already there. It is ErrConfig if the file cannot be read
// or has no place for an entry.
func (r Registry) Add(ctx context.Context, o Operator) error {
	if err := r.CheckNew(o.ID); err != nil {
		return err
	}
	return r.s.at.AddOperator(ctx, o)
}

// Trust accepts the operators file and the settings about operators as they are now. Documents, marks and actions of
// others are judged by what was accepted last.
func (r Registry) Trust(ctx context.Context) error { return r.s.at.Trust(ctx) }

// HasAccepted reports whether operators were accepted, so that the name of another one does not count.
func (r Registry) HasAccepted() bool {
	look, err := r.s.look(true)
	return err == nil && operators.Accepted(look.Facts.Rules, look.Now).List != nil
}

// SetOperator sets the operator of the user in this store only. Errors are those of CheckNew and Check.
func (r Registry) SetOperator(operator string) error {
	if err := cmp.Or(r.CheckNew(operator), r.Check(operator)); err != nil {
		return err
	}
	return r.s.at.SetOperator(operator)
}

// Check returns ErrDenied if there is an operators file that does not list the operator.
func (r Registry) Check(operator string) error {
	if err := checkOperator(operator); err != nil {
		return err
	}
	list, err := r.Policy()
	if err != nil || list == nil || list.Has(operator) {
		return err
	}
	status := list.Verify(operator, time.Time{})
	return fault.Denied(status.Advice, "%s", fault.Own(status.Reason))
}

// SetUser sets a key of the user's configuration, such as operator, for all projects. Errors are ErrConfig.
func SetUser(u User, key, value string) error { return store.SetUser(u, key, value) }
