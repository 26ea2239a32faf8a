package handoff

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Once claims ledger lines at the remote, and calls do only if this clone won them all. The lines that do receives
// are the claimed ones; they may stem from an attempt before a crash. If another clone won, the error is a
// *LostError. The ledger then has what others did, and the request may change. If do is nil, Once only updates the
// ledger and returns nil: by the claims of the others, and if want is not empty, by their logs too. See exchange.Once.
type Once func(ctx context.Context, s *Store, want []Consumption, do func([]Consumption) error) error

// A LostError reports that another clone was first. By is its claim.
type LostError = eventlog.LostError

// explain adds what to do next to an error, unless the error names who was first.
func explain(err error) error {
	if errors.As(err, new(*ConsumedError)) || errors.As(err, new(*TakenError)) || errors.As(err, new(*LostError)) {
		return err
	}
	return fault.Unpublished(err)
}

// once performs an action that only one operator can perform: in this store or, after a sync, in all clones. do
// performs it without asking the remote. Afterwards who is as in the ledger.
func (s *Store) once(ctx context.Context, act Act, who *Consumption, over txn.Lapse,
	do func(*txn.Session, Consumption) error) error {
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
		lines, err := ledger.WantAct(act, *who, over)
		isFree := errors.Is(err, txn.ErrNotHeld)
		mustAsk := isFree || err == nil && asksNothing(lines) && believes(ledger.Ledger, *who)
		if mustAsk && s.opt.Once == nil {
			return errNotAsked()
		}
		if (mustAsk || errors.As(err, new(*TakenError))) && !asked && s.opt.Once != nil {
			asked = true
			told := s.opt.Once(ctx, s, nil, nil) // someone may have released or taken it
			if told == nil {
				continue
			}
			if mustAsk && (len(lines) > 0 || !hasDone(ledger.Ledger, *who) || !isUnreachable(ctx, told)) {
				return told
			} else if mustAsk {
				s.opt.Warn("you have done it; the remote is unreachable, so another clone may have reopened it")
			}
		}
		if err != nil && !isFree {
			return err
		}
		if endsLease(lines, over) && !asked && s.opt.Once != nil {
			if err = s.opt.Once(ctx, s, lines, nil); err != nil {
				return err
			}
			asked = true
			continue
		}
		if len(lines) == 0 {
			return txn.Locked(ctx, s.at, func(x *txn.Session) error { return do(x, *who) })
		}
		err = s.claim(ctx, lines, func(c Consumption) { *who = c })
		if !isOutrun(err) || keysOf(lines) == before {
			return err
		}
		before, asked = keysOf(lines), asked || errors.As(err, new(*TakenError)) // which this replica has claimed
	}
}

// endsLease reports whether the lines end a take because its lease is over, as far as this replica knows. Its holder
// may have renewed it, which is not claimed.
func endsLease(lines []Consumption, over txn.Lapse) bool {
	return len(lines) > 0 && lines[0].Act() == ActRevoke && !over.Any && over.Dead == ""
}

// asksNothing reports whether the lines do not depend on the holder of the handoff. That holds for no lines, and for
// a single resume token.
func asksNothing(lines []Consumption) bool {
	return len(lines) == 0 || len(lines) == 1 && lines[0].Act() == actResume
}

// believes reports whether, according to the ledger, who.Operator holds the handoff or has finished it.
func believes(l *txn.Ledger, who Consumption) bool {
	life := l.Life(who.HandoffID)
	return slices.Contains([]string{life.Take.Holds().Operator, life.Done.Operator}, who.Operator)
}

// hasDone reports whether who.Operator has finished the handoff: repeating that changes nothing.
func hasDone(l *txn.Ledger, who Consumption) bool {
	life := l.Life(who.HandoffID)
	return life.Done.IsDone() && life.Done.Operator == who.Operator
}

// isUnreachable reports whether err, of asking the remote, says only that there was no answer.
func isUnreachable(ctx context.Context, err error) bool {
	answered := errors.Is(err, ErrIntegrity) || errors.Is(err, ErrBusy) || errors.As(err, new(*LostError))
	return err != nil && ctx.Err() == nil && !answered
}

// claim claims lines at the remote and adds them to the ledger. won receives each of them.
func (s *Store) claim(ctx context.Context, lines []Consumption, won func(Consumption)) error {
	if s.opt.Once == nil {
		return errNotAsked()
	}
	defer s.at.Refresh() // another process can have written meanwhile
	return s.opt.Once(ctx, s, lines, func(claimed []Consumption) error {
		return txn.Locked(ctx, s.at, func(x *txn.Session) error {
			err := x.Put(claimed)
			for i := 0; i < len(claimed) && err == nil; i++ {
				won(claimed[i])
			}
			return err
		})
	})
}

// claimAll claims the lines of several requests at once, if the remote decides. It leaves out what needs more than
// these lines, and all of them if another clone was first.
func (s *Store) claimAll(ctx context.Context, all []request) error {
	synced, err := s.at.HasSynced()
	isLocal := len(all) < 2 || slices.Contains([]Act{ActArchive, ActUnarchive}, all[0].act)
	if err != nil || !synced || s.opt.Offline || s.opt.Once == nil || isLocal {
		return err
	}
	ledger, err := txn.OpenTokens(s.at)
	if err != nil {
		return err
	}
	ledger.ReadOnce()
	var lines []Consumption
	of := make(map[string]*request)
	for i := range all {
		r := &all[i]
		want, err := ledger.WantAct(r.act, r.who, r.over)
		if err == nil && of[r.who.HandoffID] == nil && !endsLease(want, r.over) {
			lines, of[r.who.HandoffID] = append(lines, want...), r
		}
	}
	if len(lines) == 0 {
		return nil
	}
	err = s.claim(ctx, lines, func(c Consumption) {
		if r := of[c.HandoffID]; r != nil { // of several lines on a handoff the last one is its action
			r.who, r.claimed = c, true
		}
	})
	if isOutrun(err) {
		return nil
	}
	return err
}

// isOutrun reports whether another clone, or another process of this one, was first. The ledger then has its action.
func isOutrun(err error) bool {
	return errors.As(err, new(*LostError)) || errors.As(err, new(*TakenError))
}

// errNotAsked is the error of a program that never asks the remote, such as an MCP server.
func errNotAsked() error {
	return fault.New(nil, "run the command of the same name in a shell",
		"this store has synced, so the remote must be asked: another clone may have been first")
}

func keysOf(all []Consumption) (keys string) {
	for _, c := range all {
		keys += c.Token + " "
	}
	return keys
}
