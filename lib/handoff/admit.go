package handoff

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// An admitted document may be stored here: the machine and the place are right, and the operators in its
// from and to are allowed.
type admitted struct {
	*sealed
	operators operators.State
	signature *txn.Signature // nil is none
	verdict   *Signature     // what is known of it
}

// admit checks place and operators. It writes nothing. What is refused is left out and reported in results.
func (s *Store) admit(_ *txn.Machine, docs []scanned, results []Result) ([]admitted, error) {
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
		if err != nil {
			results[d.at].Err = err
			continue
		}
		good = append(good, admitted{sealed: d.sealed, operators: state})
	}
	if len(good) == 1 && good[0].operators == operators.BootstrapPending && good[0].origin == nil {
		s.at.NoteFirst(good[0].From, good[0].To)
	}
	return good, nil
}

// operatorCheck returns the check of one document's operators, for the policy of the store.
func (s *Store) operatorCheck() (func(*sealed) (operators.State, error), error) {
	if s.opt.Operators.Off {
		return func(*sealed) (operators.State, error) { return operators.Disabled, nil }, nil
	}
	list, err := s.Registry().Listed()
	if err != nil {
		return nil, err
	}
	if list == nil {
		return func(*sealed) (operators.State, error) { return operators.BootstrapPending, nil }, nil
	}
	evidence := s.evidence()
	return func(d *sealed) (operators.State, error) {
		from := list.Verify(d.From, s.opt.Now(), evidence)
		to := list.Verify(d.To, s.opt.Now(), operators.Evidence{})
		return s.judge(d, from, to)
	}, nil
}

// judge combines what is known of from and to: the worse of the two counts.
func (s *Store) judge(d *sealed, from, to operators.Status) (operators.State, error) {
	worst := from
	if rank(to.State) > rank(from.State) {
		worst = to
	}
	if worst.State == operators.Verified {
		return worst.State, nil
	}
	var reasons []string
	for _, side := range []struct {
		name   string
		status operators.Status
	}{{"from", from}, {"to", to}} {
		if side.status.State != operators.Verified {
			reasons = append(reasons, side.name+": "+side.status.Reason)
		}
	}
	if err := s.rules().unverified("%s", store.Prefixed(d.name)+strings.Join(reasons, "; ")); err != nil {
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

// Operators returns the operators file of the project: the operators and what each may do. It is nil without one. A
// file that cannot be used is ErrConfig, and so is one that is missing although the settings name it.
func (r Registry) Policy() (*OperatorList, error) { return r.s.at.Operators() }

// OperatorsText returns the text of that file. One that cannot be read, that the settings name and that is
// missing, or that lies outside the project, is ErrConfig, one that does not exist fs.ErrNotExist.
func (r Registry) PolicyText() ([]byte, error) { return r.s.at.OperatorsText() }

// ListedOperators is Operators for Options.ListedIn.
func (r Registry) Listed() (*OperatorList, error) { return r.s.at.Listed() }

// ListedText is OperatorsText for Options.ListedIn.
func (r Registry) ListedText() ([]byte, error) { return r.s.at.ListedText() }

// ParseOperators reads the text of an operators file and returns every fault of it.
func ParseOperators(text []byte) (*OperatorList, []Fault) { return store.ParseOperators(text) }

// OperatorStatus says what is known of an operator, and why not more.
type OperatorStatus = operators.Status

// VerifyOperator says what the store's policy knows of one operator, as an author of handoffs.
func (r Registry) Verify(id string) (OperatorStatus, error) { return r.s.verifyIn(id, r.Policy) }

// VerifyListed is VerifyOperator for Options.ListedIn.
func (r Registry) VerifyListed(id string) (OperatorStatus, error) {
	return r.s.verifyIn(id, r.Listed)
}

func (s *Store) verifyIn(id string, file func() (*operators.List, error)) (OperatorStatus, error) {
	if err := checkOperator(id); err != nil {
		return OperatorStatus{}, err
	}
	if s.opt.Operators.Off {
		return OperatorStatus{State: operators.Disabled}, nil
	}
	list, err := file()
	if err != nil {
		return OperatorStatus{}, err
	}
	if list == nil {
		return OperatorStatus{State: operators.BootstrapPending}, nil
	}
	return list.Verify(id, s.opt.Now(), s.evidence()), nil
}

func (s *Store) evidence() operators.Evidence {
	if s.opt.Operators.Evidence == nil {
		return operators.Evidence{}
	}
	return s.opt.Operators.Evidence()
}

// Stranger returns why operator is probably a slip: the operators file does not list it, or, where
// there is none, no handoff that is listed is from or to it, though there are some. It is "" where
// nothing speaks against it. sure says that it is no newcomer: the file says so, or a name is near.
func (r Registry) Stranger(operator string) (why string, sure bool) {
	if list, err := r.Policy(); err != nil || list != nil {
		if err != nil || list.Has(operator) {
			return "", false
		}
		return list.Verify(operator, r.s.opt.Now(), operators.Evidence{}).Reason, true
	}
	near, is := r.s.at.IsStranger(operator)
	switch {
	case !is:
		return "", false
	case near == "":
		return "no handoff here is from or to " + operator, false
	}
	return "no handoff here is from or to " + operator + "; did you mean " + near + "?", true
}

// Meant returns which name was probably meant by one that no handoff here is from or to, "" if that is not known or if
// an operators file says who may be named.
func (r Registry) Meant(name string) string {
	if list, err := r.Policy(); err != nil || list != nil {
		return ""
	}
	near, _ := r.s.at.IsStranger(name)
	return near
}

// admitReader refuses an operator whom the operators file does not list, and notes one whom nobody has
// heard of.
func (s *Store) admitReader(operator string) error {
	r := s.rules()
	if r.list == nil && r.broken == nil && !r.off {
		if why, _ := s.Registry().Stranger(operator); why != "" {
			s.opt.Warn(why)
		}
	}
	return allowed(actRead, operator, Entry{}, r)
}
