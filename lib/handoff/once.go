package handoff

import (
	"context"
	"errors"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Once lets one in all clones of a store do what is wanted, lines of the ledger by their keys, and
// calls do for that one alone, with the lines as they were claimed, maybe before a crash. Who comes
// later gets a *LostError, and has what others have done in the own ledger: what is wanted may be
// something else now. So has who wants nothing. See exchange.Once.
type Once func(ctx context.Context, s *Store, want []Consumption, do func([]Consumption) error) error

// A LostError says that somebody else was the first.
type LostError = eventlog.LostError

// unlessTold explains an error, unless that says who was the first.
func unlessTold(err error) error {
	if errors.As(err, new(*ConsumedError)) || errors.As(err, new(*TakenError)) || errors.As(err, new(*LostError)) {
		return err
	}
	return fault.Unpublished(err)
}

// once does what may be done once only, for who: in one place or, in a store that has synced, in all
// clones. want says which lines of the ledger that needs, its own last, or why it cannot be done; none
// if it need not be. do does it where nobody has to be asked. who is then as the ledger has it.
func (s *Store) once(ctx context.Context, who *Consumption, want func(*txn.Ledger, Consumption) ([]Consumption, error), do func(*txn.Session, Consumption) error) error {
	synced, err := s.at.HasSynced()
	if err != nil {
		return err
	}
	if !synced || s.opt.Offline {
		return txn.Locked(ctx, s.at, func(x *txn.Session) error {
			who.Time, x.How.Offline = x.Now(), synced
			return do(x, *who)
		})
	}
	asked := false
	for before := ""; ; {
		ledger, err := txn.OpenTokens(s.at)
		if err != nil {
			return err
		}
		who.Time = s.at.Now()
		lines, err := want(ledger.Ledger, *who)
		isFree := errors.Is(err, txn.ErrNotHeld)
		mustAsk := isFree || err == nil && asksNothing(lines) && believes(ledger.Ledger, *who)
		if mustAsk && s.opt.Once == nil {
			return errNotAsked()
		}
		if (mustAsk || errors.As(err, new(*TakenError))) && !asked && s.opt.Once != nil {
			asked = true
			told := s.opt.Once(ctx, s, nil, nil) // it may have been given back, or taken
			if told == nil {
				continue
			}
			if mustAsk {
				return told
			}
		}
		if err != nil && !isFree {
			return err
		}
		if len(lines) == 0 {
			return txn.Locked(ctx, s.at, func(x *txn.Session) error { return do(x, *who) })
		}
		err = s.claim(ctx, who, lines)
		if !errors.As(err, new(*LostError)) || keysOf(lines) == before {
			return err
		}
		before = keysOf(lines)
	}
}

// asksNothing reports whether the lines that are wanted leave open who has taken the handoff: there are
// none, or a resume token alone.
func asksNothing(lines []Consumption) bool {
	return len(lines) == 0 || len(lines) == 1 && lines[0].Act() == ""
}

// believes reports whether a handoff is, as far as a ledger knows, taken by who wants something, and not done.
func believes(l *txn.Ledger, who Consumption) bool {
	life, err := l.Life(who.HandoffID)
	return err == nil && life.Take.Holds().IsDone() && life.Take.Holds().Operator == who.Operator && !life.Done.IsDone()
}

// claim claims lines at the remote and puts them into the ledger.
func (s *Store) claim(ctx context.Context, who *Consumption, lines []Consumption) error {
	if s.opt.Once == nil {
		return errNotAsked()
	}
	return s.opt.Once(ctx, s, lines, func(claimed []Consumption) error {
		*who = claimed[len(claimed)-1]
		return txn.Locked(ctx, s.at, func(x *txn.Session) error {
			if err := x.Put(claimed); err != nil {
				return err
			}
			_, act, _, isAct := eventlog.ParseKey(who.Token)
			if !isAct {
				act = ActTake
			}
			return s.stillMay(act, who.HandoffID) // the lines are there all the same, as the claims are
		})
	})
}

// errNotAsked is for a program that asks no remote, such as an MCP server.
func errNotAsked() error {
	return fault.New(nil, "use the command of the same name in a shell: it may use the network",
		"this store has synced, and so somebody elsewhere may have been the first: that is for the command line to find out")
}

func keysOf(all []Consumption) (keys string) {
	for _, c := range all {
		keys += c.Token + " "
	}
	return keys
}
