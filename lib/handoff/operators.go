package handoff

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
)

// A Registry gives access to the operators of a store: the operators file, and the rules that were accepted.
type Registry struct{ s *Store }

// Registry returns the operators of the store.
func (s *Store) Registry() Registry { return Registry{s} }

// Policy returns the operators file of the project: the operators, and what each of them can do. It returns nil if
// there is no such file. The error is ErrConfig if the file cannot be used.
func (r Registry) Policy() (*OperatorList, error) { return r.s.at.Operators() }

// Text returns the text of the operators file. The error is fs.ErrNotExist if there is no such file. It is ErrConfig if
// the file is unreadable or outside the project.
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
// unknown if the file does not list it. Without one, it is unknown if there are handoffs and none is from or to it.
// sure reports that it is a typo, not a newcomer: the file does not list it, or a known name is similar.
func (r Registry) WhyUnknown(operator string) (why string, sure bool) {
	if list, err := r.Policy(); err != nil || list != nil || operator == Next {
		if err != nil || operator == Next || list.Has(operator) {
			return "", false
		}
		return list.Verify(operator, r.s.opt.Now()).Reason, true
	}
	near, is := r.unseen(operator)
	switch {
	case !is:
		return "", false
	case near == "":
		return "no handoff here is from or to " + operator, false
	}
	return "no handoff here is from or to " + operator + "; did you mean " + near + "?", true
}

// unseen reports whether no listed handoff is from or to a name, in a store that has handoffs. near is the known name
// that was probably meant, "" if none is similar.
func (r Registry) unseen(name string) (near string, is bool) {
	look, err := r.s.look(true)
	if err != nil {
		return "", false
	}
	return unseenIn(look.Names(), name)
}

func unseenIn(seen []string, name string) (near string, is bool) {
	if len(seen) == 0 || slices.Contains(seen, name) || name == Next {
		return "", false
	}
	if strings.EqualFold(name, Next) {
		return Next, true
	}
	return form.Nearest(name, seen), true
}

// firstNames returns notes about the names of a document that occur for the first time, since they may be typos. With
// an operators file there are none.
func (s *Store) firstNames(v facts.View, docs []*accepted) (notes []string) {
	if rules := s.at.Rules(); len(docs) != 1 || rules.List != nil || rules.Off {
		return nil
	}
	seen := v.Names()
	for _, name := range []string{docs[0].To, docs[0].From} {
		if near, is := unseenIn(seen, name); near != "" {
			notes = append(notes, name+" is new here; did you mean "+near+"?")
		} else if is && name == docs[0].To {
			notes = append(notes, name+" is new here")
		}
	}
	return notes
}

// IsAlone reports whether one operator works here alone: the only one in the operators file who has not left, or
// without such a file, the only one in the handoffs. A store without handoffs shows nothing.
func (r Registry) IsAlone(operator string) bool {
	list, err := r.Policy()
	if err != nil || operator == "" {
		return false
	}
	if list != nil {
		return slices.Equal(list.Active(r.s.opt.Now()), []string{operator})
	}
	look, err := r.s.look(true)
	if err != nil {
		return false
	}
	return slices.Equal(look.Names(), []string{operator})
}

// Nearest returns the known operator whose name is similar to an unknown one. It returns "" if there is no such
// operator, or if the project has an operators file.
func (r Registry) Nearest(name string) string {
	if list, err := r.Policy(); err != nil || list != nil {
		return ""
	}
	near, _ := r.unseen(name)
	return near
}

// Add adds an entry to the operators file, or creates the file. If the rules before were the accepted ones, the new
// ones are too. The error is ErrInvalid if the operator is already there. It is ErrConfig if the file cannot be read
// or has no place for an entry.
func (r Registry) Add(ctx context.Context, o Operator) error {
	if err := checkOperator(o.ID); err != nil {
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
	return err == nil && trust.Accepted(look.Facts.Rules, look.Now).List != nil
}

// SetOperator sets the operator of the user in this store only. The error is ErrDenied if an operators file does not
// list the operator.
func (r Registry) SetOperator(operator string) error {
	if err := r.Check(operator); err != nil {
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
