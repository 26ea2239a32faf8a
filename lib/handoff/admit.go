package handoff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/trust"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// An admitted document can be stored here: machine and place are right, and its sender and recipient are allowed.
type admitted struct {
	*sealed
	operators operators.State
	signature *txn.Signature // nil if there is none
	verdict   *Signature     // the result of checking the signature
}

// admit checks the place and the operators. It writes nothing. Refused documents are left out and reported in
// results.
func (s *Store) admit(docs []scanned, results []result) ([]admitted, error) {
	if err := s.at.CheckPlaces(); err != nil {
		return nil, err
	}
	verify, err := s.operatorCheck()
	if err != nil {
		return nil, err
	}
	good := make([]admitted, 0, len(docs))
	for _, d := range docs {
		state, err := verify(d.sealed)
		if err = cmp.Or(CheckOperator(d.To), checkOperator(d.From), err); err != nil {
			results[d.at].Err = err
			continue
		}
		good = append(good, admitted{sealed: d.sealed, operators: state})
	}
	if len(good) == 1 && good[0].operators == operators.BootstrapPending {
		s.at.NoteFirst(good[0].From, good[0].To)
	}
	return good, nil
}

// operatorCheck returns the check of one document's operators under the policy of the store.
func (s *Store) operatorCheck() (func(*sealed) (operators.State, error), error) {
	if s.opt.Operators.Off {
		return func(*sealed) (operators.State, error) { return operators.Disabled, nil }, nil
	}
	list, err := s.Registry().Policy()
	if err != nil {
		return nil, err
	}
	if list == nil {
		return func(*sealed) (operators.State, error) { return operators.BootstrapPending, nil }, nil
	}
	return func(d *sealed) (operators.State, error) {
		from := list.Verify(d.From, s.opt.Now())
		to := list.VerifyRecipient(d.To, s.opt.Now())
		return s.judge(d, from, to)
	}, nil
}

// judge combines the status of sender and recipient: the worse one counts.
func (s *Store) judge(d *sealed, from, to operators.Status) (operators.State, error) {
	worst := from
	if rank(to.State) > rank(from.State) {
		worst = to
	}
	if worst.State == operators.Verified {
		return worst.State, nil
	}
	var reasons, advice []string
	for _, side := range []struct {
		name   string
		status operators.Status
	}{{"from", from}, {"to", to}} {
		if side.status.State != operators.Verified {
			reasons = append(reasons, side.name+": "+side.status.Reason)
			advice = append(advice, side.status.Advice)
		}
	}
	err := s.rules().Unverified(strings.Join(slices.Compact(advice), ", and "), "%s",
		fault.Prefixed(d.name)+strings.Join(reasons, "; "))
	if err != nil {
		return "", err
	}
	return worst.State, nil
}

func rank(s operators.State) int {
	switch s {
	case operators.Verified:
		return 0
	case operators.Unverified:
		return 1
	}
	return 2
}

// Policy returns the operators file of the project: the operators, and what each of them can do. It returns nil if
// there is no such file. The error is ErrConfig if the file cannot be used.
func (r Registry) Policy() (*OperatorList, error) { return r.s.at.Operators() }

// Text returns the text of the operators file. The error is fs.ErrNotExist if there is no such file. It is ErrConfig if
// the file is unreadable or outside the project.
func (r Registry) Text() ([]byte, error) { return r.s.at.OperatorsText() }

// ParseOperators parses the text of an operators file, and returns all its faults.
func ParseOperators(text []byte) (*OperatorList, []Fault) { return store.ParseOperators(text) }

// An OperatorStatus is the result of verifying an operator. State is its state. Reason explains any state but
// verified.
type OperatorStatus = operators.Status

// Verify returns the status of an operator as a sender of handoffs. The error is ErrInvalid if id is not an operator
// name, otherwise that of Policy.
func (r Registry) Verify(id string) (OperatorStatus, error) {
	if err := checkOperator(id); err != nil {
		return OperatorStatus{}, err
	}
	if r.s.opt.Operators.Off {
		return OperatorStatus{State: operators.Disabled}, nil
	}
	list, err := r.Policy()
	if err != nil {
		return OperatorStatus{}, err
	}
	if list == nil {
		return OperatorStatus{State: operators.BootstrapPending}, nil
	}
	return list.Verify(id, r.s.opt.Now()), nil
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
	near, is := r.s.at.IsUnseen(operator)
	switch {
	case !is:
		return "", false
	case near == "":
		return "no handoff here is from or to " + operator, false
	}
	return "no handoff here is from or to " + operator + "; did you mean " + near + "?", true
}

// IsAlone reports whether one operator works here alone: the only one in the operators file who has not left, or
// without such a file, the only one in the handoffs. A store without handoffs shows nothing.
func (r Registry) IsAlone(operator string) bool { return r.s.at.IsAlone(operator) }

// Nearest returns the known operator whose name is similar to an unknown one. It returns "" if there is no such
// operator, or if the project has an operators file.
func (r Registry) Nearest(name string) string {
	if list, err := r.Policy(); err != nil || list != nil {
		return ""
	}
	near, _ := r.s.at.IsUnseen(name)
	return near
}

// admitReader returns ErrDenied for an operator that the operators file does not list. Without such a file it warns
// of an unknown operator.
func (s *Store) admitReader(operator string) error {
	r := s.rules()
	if r.List == nil && r.Broken == nil && !r.Off {
		if why, _ := s.Registry().WhyUnknown(operator); why != "" {
			s.opt.Warn(why)
		}
	}
	return r.Allow(trust.ActRead, operator, Entry{})
}
