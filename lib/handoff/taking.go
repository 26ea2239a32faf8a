package handoff

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// The actions.
const (
	ActTake      = eventlog.ActTake      // become the holder, unless there is one
	ActRelease   = eventlog.ActRelease   // give it back
	ActRevoke    = eventlog.ActRevoke    // take over from the holder, although its lease is not over
	ActDone      = eventlog.ActDone      // finish it
	ActReopen    = eventlog.ActReopen    // undo done
	ActResend    = eventlog.ActResend    // undo done, by the sender
	ActArchive   = eventlog.ActArchive   // hide it
	ActUnarchive = eventlog.ActUnarchive // undo archive

	ActWithdraw Act = "withdraw" // done by its sender, before it was read or taken: its state is then withdrawn

	actResume = eventlog.ActResume // see Records.Resume
)

// Act performs an action for who. who.Operator is required; Session and Reason are recorded. The take of a session
// has a lease of who.For, or of Options.Lease.
//
// If several operators or sessions take a handoff at once, one succeeds. The others get a *TakenError, as does one who
// releases or finishes what another holds. Once a lease is over, or the session of the same operator has died on this
// machine, ActTake takes the handoff over; a former holder gets a *TakenError until it takes the handoff again. Taking
// and finishing mark the handoff as read. An archived, superseded or expired handoff can be taken; the receipt says so.
//
// The error is ErrDenied unless these rules allow the action:
//
//   - Its recipient, and operators of the operators file, can take and finish a handoff.
//   - Its sender, and operators with the capability human, can release what others hold.
//   - ActRevoke takes over at any time. Operators can do that for handoffs of their own, and for those that they can
//     release; without an operators file for all.
//   - The operator who finished it, and its sender, can reopen it.
//   - Its sender can withdraw it. The error is ErrInvalid if it was read or taken.
//   - Its sender, its recipient and operators with the capability archive can archive it.
func (s *Store) Act(ctx context.Context, act Act, id string, who Consumption) (got ActReceipt, err error) {
	err = s.Lifecycle().ActAll(ctx, act, []string{id}, who, func(receipt ActReceipt) error {
		got = receipt
		return nil
	})
	return got, err
}

// ActAll is Act for several handoffs, up to the first error. Nothing happens if one of them does not exist, or if the
// rules do not allow the action. each receives the receipts.
func (c Lifecycle) ActAll(ctx context.Context, act Act, ids []string, who Consumption,
	each func(ActReceipt) error) error {
	own, err := Open(c.s.opt) // what it holds must not become what others see in this store
	if err != nil {
		return err
	}
	defer own.at.Hold()()
	c.s = own
	all := make([]request, len(ids))
	err = c.s.guard()
	var entries []Entry
	if err == nil {
		entries, err = c.s.FindEach(ids)
	}
	for i := 0; i < len(all) && err == nil; i++ {
		all[i], err = c.s.request(act, entries[i], who)
	}
	for i := 0; i < len(all) && err == nil; i++ {
		var got ActReceipt
		if got, err = c.s.carryOut(ctx, &all[i]); err != nil {
			taken := &TakenError{}
			if errors.As(err, &taken) && taken.Ended != "" && life.IsWithdrawn(entries[i], taken.By.Operator) {
				taken.Ended = "withdrawn"
			}
			break
		}
		c.s.tellState(&got)
		err = each(got)
	}
	return explain(err)
}

// A request is an action that an operator can perform.
type request struct {
	asked, act Act // act is what the ledger records
	who        Consumption
	over       txn.Lapse
}

// request checks that who can perform an action.
func (s *Store) request(act Act, entry Entry, who Consumption) (r request, err error) {
	if r.asked = act; act == ActRevoke {
		r.asked = ActTake
	}
	if r.act, r.over, err = s.resolve(act, entry, who); err == nil {
		err = s.Lifecycle().CanAct(r.act, entry, who)
	}
	if err != nil {
		return r, err
	}
	who.HandoffID, who.Time = entry.ID, s.at.Now()
	if r.act == actResume {
		who.Token = txn.LedgerKey(who.Token, entry.ID)
	}
	if r.act == ActTake || r.act == actResume {
		who.Until = s.leaseEnd(who)
	}
	r.who = who
	return r, nil
}

// carryOut performs the action of a request. If the action was performed before, r.who becomes the operator who
// performed it.
func (s *Store) carryOut(ctx context.Context, r *request) (got ActReceipt, err error) {
	who, existing := &r.who, false
	err = s.orUnrecorded(txn.Locked(ctx, s.at, func(x *txn.Session) (err error) {
		if r.act != ActArchive && r.act != ActUnarchive {
			who.Time = x.Now()
		}
		*who, existing, err = x.Act(r.act, *who, r.over)
		return err
	}))
	got = ActReceipt{ID: who.HandoffID, Act: r.asked, Operator: who.Operator, Time: who.Time, Until: who.Until,
		Status: txn.StatusChanged}
	if existing {
		got.Status = StatusExisting
	}
	if err != nil {
		return got, err
	}
	if r.act == ActTake || r.act == actResume {
		got.Session = who.Session
		s.pinSighted(ctx)
	}
	return got, nil
}

// orUnrecorded turns the error of an action that is in the ledger, but not in the index or the log yet, into a warning.
// The caller must learn that it has succeeded: a repetition would fail.
func (s *Store) orUnrecorded(err error) error {
	if !errors.Is(err, txn.ErrUnrecorded) {
		return err
	}
	s.opt.Warn("it took effect, but the read mark or the event is not recorded yet: " + err.Error() +
		"; the next command that writes completes it")
	return nil
}

// resolve returns the act that the ledger records for a request, and when a take may replace that of another.
func (s *Store) resolve(act Act, e Entry, who Consumption) (Act, txn.Lapse, error) {
	held := s.Lifecycle().Of(e.ID).Take.Holds()
	switch {
	case act == ActReopen: // the ledger under the lock tells whose done it undoes
		return act, txn.Lapse{Any: who.Operator == e.From}, nil
	case act == ActRelease: // the ledger under the lock tells whose take it ends
		return act, txn.Lapse{Any: s.rules().MayRelease(who.Operator, e)}, nil
	case act == ActWithdraw:
		return ActDone, txn.Lapse{}, s.checkWithdraw(e, who)
	case act == ActRevoke:
		if held.Operator == who.Operator {
			return ActTake, txn.Lapse{Any: true}, nil
		}
		return ActTake, txn.Lapse{Any: true}, s.rules().MaySteal(who.Operator, e)
	case act != ActTake:
		return act, txn.Lapse{}, nil
	}
	over := txn.Lapse{}
	if held.IsDone() && held.Operator == who.Operator && s.hasDied(held.Session) {
		over.Dead = held.Session
	}
	return act, over, nil
}

// tellState sets the new state of the handoff in a receipt and, after a take, why it needs no more work.
func (s *Store) tellState(got *ActReceipt) {
	facts := s.life()
	rows := store.Lookup{Store: s.at} // with the current marks
	e, found, err := rows.Row(got.ID)
	if err != nil || !found {
		return
	}
	state := facts.State(e, s.opt.Now())
	got.State = string(state)
	if got.Act == ActTake {
		if got.State = string(StateTaken); state.IsClosed() {
			got.Over, got.Successors = string(state), facts.Successors(e)
		}
	}
}

// checkWithdraw returns an error unless the handoff was sent by who, and is unread and not taken.
func (s *Store) checkWithdraw(e Entry, who Consumption) error {
	life, short := s.Lifecycle().Of(e.ID), strings.TrimPrefix(e.ID, form.IDPrefix)[:8]
	supersede := "supersede it: `handoff supersede " + short + "`"
	switch taken := life.Take.Holds(); {
	case e.From != who.Operator:
		return fault.Denied("ask "+e.From, "%s was sent by %s: only its sender can withdraw it", e.ID,
			fault.Own(e.From))
	case e.IsTo(e.From):
		return fault.Invalid("run `handoff done "+short+"`", "%s is addressed to you too", e.ID)
	case life.Done.IsDone() && life.Done.Operator != who.Operator:
		return fault.Invalid(supersede, "%s was done by %s", e.ID, fault.Own(life.Done.Operator))
	case taken.IsDone() && taken.Operator != who.Operator:
		advice := "`handoff release " + short + " --operator " + taken.Operator + "` gives it back; or " + supersede
		return fault.Invalid(advice, "%s is taken by %s since %s", e.ID, fault.Own(taken.Operator), taken.Time)
	case !e.UnreadBy(""):
		return fault.Invalid(supersede, "%s was read by %s", e.ID, fault.Own(e.To))
	}
	return nil
}

// IsSession reports whether name can be the name of an agent session.
func IsSession(name string) bool { return form.IsSlug(name, 128) }

// CanAct returns nil if who can perform the action, otherwise the error of Act.
func (c Lifecycle) CanAct(act Act, e Entry, who Consumption) error {
	if err := checkOperator(who.Operator); err != nil {
		return err
	}
	if who.Session != "" && !IsSession(who.Session) {
		return fault.Invalid("use 1 to 128 ASCII letters, digits, _ and -", "%q is not a session", who.Session)
	}
	return cmp.Or(CheckReason(who.Reason), c.s.rules().Allow(act, who.Operator, e))
}

// Of returns what the ledger says about a handoff. It returns the zero Life if the ledger cannot be read.
func (c Lifecycle) Of(id string) Life {
	all, _ := c.Taking(id)
	return all[id]
}

// Taking returns what the ledger says about a handoff, by its id.
func (c Lifecycle) Taking(id string) (map[string]Life, error) {
	return store.InState(c.s.at, func(d *disk.Dir) (map[string]Life, error) { return txn.ReadLives(d, id) })
}
