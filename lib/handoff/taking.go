package handoff

import (
	"context"
	"errors"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// The acts.
const (
	ActTake      = eventlog.ActTake      // have it, before anybody else has
	ActRelease   = eventlog.ActRelease   // give it back
	ActDone      = eventlog.ActDone      // end it
	ActReopen    = eventlog.ActReopen    // take that back
	ActResend    = eventlog.ActResend    // the same, by the sender
	ActArchive   = eventlog.ActArchive   // put it away
	ActUnarchive = eventlog.ActUnarchive // bring it back
	ActApprove   = eventlog.ActApprove   // let others act on it
	ActReject    = eventlog.ActReject    // keep others from that, for good
)

// Act does an act for who, whose Operator it needs; Session and Reason are kept. Of any number that
// take a handoff at once one succeeds, and the others get a *TakenError, as those who release or end
// what another has. Taking and ending mark it as read. Who has ended a handoff, and its sender, may reopen it: else that is
// ErrDenied. It may be taken and ended by whom it is for and
// by the operators of the operators file, archived by who has written it, by whom it is for and by
// operators with the capability archive, approved and rejected by operators with the capability
// approve who have not written it, and with their signature where their keys are known; else the error
// is ErrDenied. What awaits approval, or was rejected, is refused to those who take or end it:
// ErrDenied too. What is archived, superseded or expired can be taken; the receipt says that it is.
func (s *Store) Act(ctx context.Context, act Act, id string, who Consumption) (got ActReceipt, err error) {
	defer func() {
		err = unlessTold(err)
	}()
	if err := s.guard(); err != nil {
		return ActReceipt{}, err
	}
	entry, err := s.Find(id)
	if asked := act; err == nil {
		if act == ActReopen && who.Operator == entry.From && s.Lifecycle().Of(entry.ID).Done.Operator != who.Operator {
			act = ActResend
		}
		err = s.admitAct(act, entry, who)
		defer func() { got.Act = asked }()
	}
	if err != nil {
		return ActReceipt{}, err
	}
	who.HandoffID, who.Time = entry.ID, s.at.Now()
	switch act {
	case ActApprove, ActReject:
		who, err = s.desk().Signed(act, who)
	case ActTake, ActDone:
		err = s.Lifecycle().CheckApproval(entry.ID)
	}
	if err != nil {
		return ActReceipt{}, err
	}
	existing := false
	do := func(x *txn.Session, c Consumption) (err error) {
		if err = s.stillMay(act, entry.ID); err == nil {
			who, existing, err = x.Act(act, c)
		}
		return err
	}
	switch {
	case act.IsVerdict():
		err = txn.Locked(ctx, s.at, func(x *txn.Session) (err error) {
			existing, err = s.decide(x, act, &who)
			return err
		})
	case act == ActArchive || act == ActUnarchive: // which every clone may do
		err = txn.Locked(ctx, s.at, func(x *txn.Session) error { return do(x, who) })
	default:
		want := func(l *txn.Ledger, c Consumption) ([]Consumption, error) { return l.WantAct(act, c) }
		err = s.once(ctx, &who, want, do)
	}
	if errors.Is(err, txn.ErrUnrecorded) { // nobody else can have it
		s.opt.Warn("the read mark or the event is not recorded yet: " + err.Error() + "; the next command that writes completes it")
		err = nil
	}
	got = ActReceipt{ID: entry.ID, Act: act, Operator: who.Operator, Session: who.Session, Time: who.Time,
		Status: txn.StatusChanged}
	if existing {
		got.Status = StatusExisting
	}
	if err != nil {
		return got, err
	}
	if act == ActTake {
		s.pinSighted(ctx)
	}
	s.tellState(&got)
	return got, nil
}

// tellState says in a receipt in which state the act has left the handoff, and of one that was taken why nothing is to
// be done with it.
func (s *Store) tellState(got *ActReceipt) {
	e, err := s.Find(got.ID) // with its marks as they are now
	if err != nil {
		return
	}
	facts := s.life()
	state := facts.State(e, s.opt.Now())
	got.State = string(state)
	if got.Act == ActTake {
		if got.State = string(StateTaken); state.IsOver() {
			got.Over, got.Successors = string(state), facts.Successors(e)
		}
	}
}

// Withdraw takes back a handoff of who, before anybody has read or taken it: its state is withdrawn then, and nobody is
// shown it. A handoff of somebody else is ErrDenied, one that was read or taken ErrInvalid. Its other errors are those
// of Act.
func (s *Store) Withdraw(ctx context.Context, id string, who Consumption) (ActReceipt, error) {
	e, err := s.Find(id)
	if err != nil {
		return ActReceipt{}, err
	}
	life, short := s.Lifecycle().Of(e.ID), strings.TrimPrefix(e.ID, form.IDPrefix)[:8]
	switch taken := life.Take.Holds(); {
	case e.From != who.Operator:
		return ActReceipt{}, fault.New(ErrDenied, "ask "+e.From, "%s was sent by %s: only its sender can withdraw it", e.ID, fault.Own(e.From))
	case e.From == e.To:
		return ActReceipt{}, fault.New(ErrInvalid, "run `handoff done "+short+"`", "%s is from you to you", e.ID)
	case life.Done.IsDone() && life.Done.Operator != who.Operator:
		return ActReceipt{}, fault.New(ErrInvalid, "supersede it: `handoff supersede "+short+"`", "%s was done by %s", e.ID, fault.Own(life.Done.Operator))
	case taken.IsDone() && taken.Operator != who.Operator:
		advice := "`handoff release " + short + " --operator " + taken.Operator + "` gives it back; or supersede it: `handoff supersede " + short + "`"
		return ActReceipt{}, fault.New(ErrInvalid, advice, "%s is taken by %s since %s", e.ID, fault.Own(taken.Operator), taken.Time)
	case !e.UnreadBy(""):
		return ActReceipt{}, fault.New(ErrInvalid, "supersede it: `handoff supersede "+short+"`", "%s was read by %s", e.ID, fault.Own(e.To))
	}
	return s.Act(ctx, ActDone, e.ID, who)
}

// Admits is nil for who may do an act, as Act is; else the error is that of Act.
func (c Lifecycle) Admits(act Act, e Entry, who Consumption) error { return c.s.admitAct(act, e, who) }

// IsSession reports whether a name is one that a take may have for a session of an agent.
func IsSession(name string) bool { return form.IsSlug(name, 128) }

// admitAct refuses who may not do an act.
func (s *Store) admitAct(act Act, e Entry, who Consumption) error {
	if err := checkOperator(who.Operator); err != nil {
		return err
	}
	if who.Session != "" && !IsSession(who.Session) {
		return fault.New(ErrInvalid, "use 1 to 128 letters, digits, _ and -", "%q is not a session", who.Session)
	}
	if err := CheckReason(who.Reason); err != nil {
		return err
	}
	return s.admitAs(act, who.Operator, e)
}

// LifeOf returns what the ledger says now of a handoff: nothing where it cannot be read.
func (c Lifecycle) Of(id string) Life {
	all, _ := c.Taking(id)
	return all[id]
}

// Taking returns what the ledger says now of a handoff, by its id.
func (c Lifecycle) Taking(id string) (map[string]Life, error) {
	return store.InState(c.s.at, func(d *disk.Dir) (map[string]Life, error) { return txn.ReadLives(d, id) })
}
