package handoff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/agent/memory"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// An Act is an action on a handoff, such as ActTake.
type Act string

// The actions.
const (
	ActTake      Act = "take"      // become the holder, unless there is one
	ActRelease   Act = "release"   // give it back
	ActSteal     Act = "steal"     // take over from the holder, although its lease is not over
	ActDone      Act = "done"      // finish it
	ActReopen    Act = "reopen"    // undo done or withdraw
	ActArchive   Act = "archive"   // hide it
	ActUnarchive Act = "unarchive" // undo archive
	ActWithdraw  Act = "withdraw"  // take it back, by its sender, before it was read or taken

	actResume     Act = "resume" // see Records.Resume
	actMarkRead   Act = "mark_read"
	actMarkUnread Act = "mark_unread"
)

// A Who says who acts.
type Who struct {
	Operator string
	Session  string        // of an agent; "" for a person
	Reason   string        // for the audit log, or ""
	For      time.Duration // of a take; 0 means Options.Lease for a session, and no end for a person
	ForOther bool          // take or finish what is to another operator
	Anyway   bool          // take what is superseded, expired or archived
}

// An ActReceipt is the result of an action.
type ActReceipt struct {
	ID       string `json:"handoff_id"`
	Act      Act    `json:"act"`
	Operator string `json:"operator"`             // who did it, now or before
	Session  string `json:"session_id,omitempty"` // that took it
	Time     string `json:"ts_utc"`
	Until    string `json:"until,omitempty"`    // the end of the lease
	Status   string `json:"status"`             // StatusChanged, or StatusExisting if nothing changed
	State    State  `json:"state"`              // of the handoff, after the action
	Reply    string `json:"reply_id,omitempty"` // the answer that was stored with the action

	Told []string `json:"told,omitempty"` // of ActWithdraw: the operators to whom Surface showed it here
}

// StatusChanged means that the mark or action of a receipt is new.
const StatusChanged = "changed"

// A TakenError is the error for a handoff that another operator or session holds or has ended. It wraps no class, since
// nothing is wrong with the store.
type TakenError struct {
	ID     string
	By     Action
	Ended  string // "finished", "withdrew" or "resumed", as By did; "" if By holds the handoff
	Lost   bool   // By ended the take of the session that asks, and the handoff has no holder
	Advice string // what to do next

	Disputed []string // the holders by other rules, or once the times that turns state have come; By is one of them
}

const hasResumed = "resumed" // as TakenError.Ended

// Error names the holder. The name is quoted, since it came from a command line.
func (e *TakenError) Error() string {
	who := string(fault.Own(e.By.Operator))
	if e.By.Session != "" {
		who += " (session " + e.By.Session + ")"
	}
	if e.Disputed != nil {
		return fmt.Sprintf("%s is disputed: by other rules, or by turns that state a later time, it is held by %s",
			short(e.ID), fault.Own(strings.Join(e.Disputed, ", ")))
	}
	if e.Lost {
		return fmt.Sprintf("you no longer hold %s: %s ended your take at %s", short(e.ID), who, e.By.Time)
	}
	text := fmt.Sprintf("%s %s %s at %s", who, cmp.Or(e.Ended, "took"), short(e.ID), e.By.Time)
	if e.By.Until != "" {
		text += ", until " + e.By.Until
	}
	return text
}

// Plain omits the holder.
func (e *TakenError) Plain() string {
	if e.Ended != "" {
		return "another operator or session " + e.Ended + " the handoff"
	}
	return "another operator or session holds the handoff"
}

// Hint returns what to do next.
func (e *TakenError) Hint() string { return e.Advice }

// Verdict returns the verdict of a packet that somebody else works on.
func (e *TakenError) Verdict() string { return "CRITICAL" }

// Act performs an action for who. Operator is required; Session and Reason are recorded.
//
// If several operators or sessions take a handoff at once, one succeeds. The others get a *TakenError, as does one who
// releases or finishes what another holds. Once a lease is over, or the session of the same operator has died on this
// machine, ActTake takes the handoff over; a former holder gets a *TakenError until it takes the handoff again. Taking
// and finishing mark the handoff as read.
//
// The error is ErrInvalid if the action is probably not meant: to take or finish what is to another operator
// (ForOther), to take what is superseded, expired, archived or withdrawn (Anyway), or to archive what has a holder.
//
// The error is ErrDenied unless the rules of OPERATORS.md allow the action. The sender of a handoff can release what
// others hold, the operator who finished it and its sender can reopen it, its sender can withdraw it, and its sender,
// its recipient and operators with the capability archive can archive it.
func (s *Store) Act(ctx context.Context, act Act, id string, who Who) (got ActReceipt, err error) {
	err = s.Lifecycle().ActAll(ctx, act, []string{id}, who, func(receipt ActReceipt) error {
		got = receipt
		return nil
	})
	return got, err
}

// ActAll is Act for several handoffs, in one change. Those that can be had are had. each receives their receipts; the
// error has the reasons of the others. Nothing happens if one of them does not exist.
func (c Lifecycle) ActAll(ctx context.Context, act Act, ids []string, who Who, each func(ActReceipt) error) error {
	return c.s.actAll(ctx, act, func() ([]Entry, error) { return c.s.FindEach(ids) }, who, each)
}

// actAll is ActAll for the handoffs that which returns, once who acts is checked.
func (s *Store) actAll(ctx context.Context, act Act, which func() ([]Entry, error), who Who,
	each func(ActReceipt) error) error {
	op, isKnown := operations[act]
	if !isKnown {
		return fault.Invalid("", "%q is not an action", act)
	}
	if err := cmp.Or(s.at.Guard(), checkWho(who), s.at.CheckPlaces()); err != nil {
		return err
	}
	s.bringIn(ctx)
	entries, err := which()
	if err != nil || len(entries) == 0 {
		return err
	}
	all, seen, rules := make([]*acting, 0, len(entries)), map[string]bool{}, s.at.Rules()
	for _, e := range entries {
		if !seen[e.ID] {
			seen[e.ID] = true
			all = append(all, &acting{s: s, operation: op, rules: rules, act: act, id: e.ID, who: who})
		}
	}
	err = s.do(ctx, op.isTurn(), idsOf(entries), func(c *store.Change) (mustAsk bool) {
		for _, a := range all {
			a.err = a.plan(c)
			mustAsk = mustAsk || a.err != nil || a.got.Status == StatusExisting
		}
		return mustAsk
	})
	if err != nil {
		return fault.Unpublished(err)
	}
	look, err := s.look(false)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.err == nil {
			if h := look.Of(a.id); h != nil {
				a.got.State = look.State(h, look.Life(h))
			}
			if act == ActWithdraw {
				a.got.Told = s.told(a.id)
			}
			if err := each(a.got); err != nil {
				return err
			}
		}
	}
	return fault.Join(all, func(a *acting) error { return a.err })
}

// do makes the change of actions. In a store that has synced, turns are the remote's to accept.
func (s *Store) do(ctx context.Context, isTurn bool, ids []string, plan func(*store.Change) bool) error {
	look, err := s.look(true)
	if err != nil {
		return err
	}
	isAsked := isTurn && look.Sync.Remote != ""
	if !isAsked || s.opt.Offline {
		if isAsked {
			s.opt.Warn("unconfirmed: `handoff sync` tells whether it counts")
		}
		return s.at.Change(ctx, func(c *store.Change) error {
			plan(c)
			return nil
		})
	}
	x, err := s.exchange()
	if err != nil {
		return err
	}
	defer x.Remote.Close()
	err = x.Act(ctx, ids, plan)
	if err != nil && fault.Class(err) == nil {
		err = fault.New(nil, "run it again, or add --offline: then the next sync tells whether it counts",
			"remote unreachable; nothing done: %v", err)
	}
	return err
}

// told returns the operators to whom Surface showed a handoff here.
func (s *Store) told(id string) (all []string) {
	_ = s.at.Events(func(e log.Event) { // an unreadable log says nothing
		if e.Type == log.Surface && slices.Contains(e.Payload.IDs, id) && !slices.Contains(all, e.Payload.Operator) {
			all = append(all, e.Payload.Operator)
		}
	})
	return all
}

func checkWho(who Who) error {
	if err := checkOperator(who.Operator); err != nil {
		return err
	}
	if who.Session != "" && !IsSession(who.Session) {
		return fault.Invalid("use 1 to 128 ASCII letters, digits, _ and -", "%q is not a session", who.Session)
	}
	return CheckReason(who.Reason)
}

// An operation is how an action is done.
type operation struct {
	event  string              // the type of its event
	over   bool                // a take from a holder whose lease is not over
	isDone func(*acting) bool  // reports that nothing is left to do
	check  func(*acting) error // returns why the action is not allowed, or probably not meant; nil allows it
}

// operations is the table of all actions. To add one takes a row here, a type of event and what the fold makes of it.
var operations = map[Act]operation{
	ActTake:       {event: log.Take, isDone: (*acting).holds, check: (*acting).checkTake},
	ActSteal:      {event: log.Take, isDone: (*acting).holds, over: true},
	actResume:     {event: log.Resume, isDone: (*acting).hasResumed},
	ActRelease:    {event: log.Release, isDone: (*acting).isFree, check: (*acting).checkRelease},
	ActDone:       {event: log.Done, isDone: (*acting).hasEnded, check: (*acting).checkDone},
	ActWithdraw:   {event: log.Withdraw, isDone: (*acting).hasEnded, check: (*acting).checkWithdraw},
	ActReopen:     {event: log.Reopen, isDone: (*acting).isOpen},
	ActArchive:    {event: log.Archive, check: (*acting).checkArchive},
	ActUnarchive:  {event: log.Unarchive, check: (*acting).mayArchive},
	actMarkRead:   {event: log.MarkRead},
	actMarkUnread: {event: log.MarkUnread},
}

// isTurn reports whether the order of its events counts.
func (o operation) isTurn() bool { return log.IsTurn(o.event) }

// An acting is an action of somebody on a handoff.
type acting struct {
	operation
	s     *Store
	rules operators.Rules // of the present operators file
	act   Act
	id    string
	who   Who

	c *store.Change
	h *facts.Handoff
	l *facts.Life // before the action

	got ActReceipt
	err error
}

// plan adds the events of the action to a change, and makes its receipt.
func (a *acting) plan(c *store.Change) error {
	if a.c, a.h = c, c.Of(a.id); a.h == nil || a.h.Pruned {
		return a.s.at.UnknownID(a.id)
	}
	a.l = c.Life(a.h)
	a.got = ActReceipt{ID: a.id, Act: a.act, Operator: a.who.Operator, Status: StatusChanged}
	if a.over {
		a.got.Act = ActTake
	}
	t := a.turn()
	if a.isDone != nil && a.isDone(a) {
		a.existing(c.Now)
		return nil
	}
	err := a.rules.MayAct(&t, a.h)
	if err == nil && a.check != nil {
		err = a.check(a)
	}
	switch {
	case err != nil:
		return err
	case a.isTurn():
		return a.takeTurn(t)
	}
	return a.stateFact()
}

// turn returns the turn that the action is.
func (a *acting) turn() facts.Turn {
	t := facts.Turn{Type: a.event, Operator: a.who.Operator, Session: a.who.Session, Note: a.who.Reason, Over: a.over}
	ends := true
	if t.Type == log.Take || t.Type == log.Resume {
		grace := time.Duration(0)
		if a.c.Sync.Remote != "" {
			grace = facts.Ahead // the clocks of clones differ
		}
		t.Until = a.leaseEnd()
		ends = t.Over || a.l.End == nil && a.l.IsOver(a.c.Now.Add(-grace))
	}
	if last := a.l.Last(); last != nil && ends {
		t.Of = []string{last.ID}
	}
	return t
}

// takeTurn plans a turn, and before a take of what a dead session holds the release by that session.
func (a *acting) takeTurn(t facts.Turn) error {
	turns := []facts.Turn{t}
	if by := a.l.Holder; by != nil && t.Type == log.Take && a.l.End == nil && by.Operator == a.who.Operator &&
		by.Session != a.who.Session && a.s.hasDied(by.Session) {
		turns[0].Of = nil
		turns = slices.Insert(turns, 0, facts.Turn{Type: log.Release, Operator: by.Operator, Session: by.Session,
			Of: []string{by.ID}, Note: "session ended"})
	}
	isShared, isTake := a.c.Sync.Remote != "", t.Type == log.Take || t.Type == log.Resume
	if made := &turns[len(turns)-1]; isShared && isTake {
		made.At = a.c.Now
		made.Of = a.c.InTheWay(a.h, turns)
	}
	turns, counts := a.c.Turn(a.h, a.l, turns...)
	if !counts {
		return a.refused()
	}
	if isShared && !a.s.opt.Offline {
		if rivals := a.c.Rivals(a.h, turns); len(rivals) > 0 {
			a.c.Undo(len(turns))
			return disputed(a.id, rivals)
		}
	}
	if a.got.Time = stamp(turns[len(turns)-1].At); isTake {
		a.got.Session, a.got.Until = t.Session, stamp(a.l.Until)
	}
	return nil
}

// stateFact plans a fact: a mark as read, or that the handoff is hidden.
func (a *acting) stateFact() error {
	if err := a.known(); err != nil {
		return err
	}
	at, changed := a.c.Mark(a.h, a.event, a.who.Operator)
	if changed {
		a.got.Time = stamp(at)
		return nil
	}
	by, at := a.who.Operator, a.c.Now
	if isArchive := a.event == log.Archive || a.event == log.Unarchive; isArchive && a.l.Archiver != "" {
		by, at = a.l.Archiver, a.l.ArchivedAt
	} else if read := slices.IndexFunc(a.l.Reads, func(m facts.Mark) bool { return m.Operator == by }); !isArchive &&
		read >= 0 {
		at = a.l.Reads[read].At
	}
	a.got.Status, a.got.Operator, a.got.Time = StatusExisting, by, stamp(at)
	return nil
}

// disputed returns the error for a handoff that others hold by other rules.
func disputed(id string, rivals []*facts.Turn) error {
	e := &TakenError{ID: id, By: actionOf(rivals[0], rivals[0].Until),
		Advice: "ask a person to run `handoff take --steal --reason TEXT " + short(id) + "` at a terminal"}
	for _, t := range rivals {
		e.Disputed = append(e.Disputed, t.Operator)
	}
	slices.Sort(e.Disputed)
	e.Disputed = slices.Compact(e.Disputed)
	return e
}

// isMine reports whether the operator and session hold the handoff.
func (a *acting) isMine() bool { return a.l.IsHeldBy(a.who.Operator, a.who.Session) }

// holds reports whether a take would not make the lease of the holder longer.
func (a *acting) holds() bool {
	isLonger := a.leaseEnd().After(a.l.Until) && (a.who.For > 0 || a.l.IsOver(a.c.Now))
	return a.isMine() && !isLonger
}

func (a *acting) hasResumed() bool { return a.holds() && a.l.Resumed != nil }

func (a *acting) isFree() bool { return a.l.Last() == nil }

func (a *acting) isOpen() bool { return a.l.End == nil }

// hasEnded reports whether the operator has ended the handoff in this way.
func (a *acting) hasEnded() bool {
	return a.l.End != nil && a.l.End.Operator == a.who.Operator && a.l.End.Type == a.event
}

// leaseEnd returns the end of a take, zero if it has none: only sessions have a lease by default.
func (a *acting) leaseEnd() time.Time {
	lasts := a.who.For
	if lasts == 0 && a.who.Session != "" {
		lasts = a.s.opt.Lease
	}
	if lasts <= 0 {
		return time.Time{}
	}
	return a.c.Now.Add(lasts).Truncate(time.Second)
}

func (a *acting) mayArchive() error { return a.rules.MayArchive(a.who.Operator, a.h.From, a.h.To) }

func (a *acting) checkArchive() error {
	if err := a.mayArchive(); err != nil || !a.l.IsHeld() || a.l.IsArchived {
		return err
	}
	return doubtful("run `handoff take --undo "+short(a.id)+"` first", "%s took %s at %s", a.l.Holder.Operator,
		short(a.id), stamp(a.l.Holder.At))
}

// known returns an error if the accepted rules do not know the operator, so that nothing it does would count.
func (a *acting) known() error {
	if a.c.View.Rules != nil && !a.c.View.Rules.Knows(a.who.Operator, a.c.Now) {
		return fault.Denied("run `handoff operators trust`", "the accepted rules do not know %s",
			fault.Own(a.who.Operator))
	}
	if a.c.NeedsSeal(a.who.Operator) {
		return fault.Denied("set sign: true in your configuration; `handoff help settings` says where",
			"what %s does counts only with a signature", fault.Own(a.who.Operator))
	}
	return nil
}

// existing completes the receipt of a turn that was made before.
func (a *acting) existing(now time.Time) {
	a.got.Status, a.got.Time = StatusExisting, stamp(now)
	if last := a.l.Last(); last != nil {
		a.got.Operator, a.got.Time = last.Operator, stamp(last.At)
		if last == a.l.Holder {
			a.got.Session, a.got.Until = last.Session, stamp(a.l.Until)
		}
	}
}

// refused returns why a turn does not count.
func (a *acting) refused() error {
	if err := a.known(); err != nil {
		return err
	}
	if by := a.l.Resumed; a.act == actResume && by != nil &&
		(by.Operator != a.who.Operator || a.l.End != nil || a.l.Holder == nil) {
		return &TakenError{ID: a.id, By: actionOf(by, time.Time{}), Ended: hasResumed,
			Advice: "a token works once: run `handoff take " + short(a.id) + "`, or ask for a new packet"}
	}
	if a.l.Last() == nil {
		return fault.Denied("ask its sender", "%s cannot be ended by %s", short(a.id), fault.Own(a.who.Operator))
	}
	return a.taken()
}

// taken returns the error about the operator who holds the handoff, or has ended it.
func (a *acting) taken() error {
	by, until, me := a.l.Last(), a.l.Until, a.who.Operator
	e := &TakenError{ID: a.id, Advice: "run `handoff take` for another one"}
	if a.l.End != nil {
		until, e.Ended = time.Time{}, "finished"
	}
	switch e.By = actionOf(by, until); {
	case by.Type == log.Withdraw:
		if e.Ended = "withdrew"; by.Operator == me {
			e.Advice = "to send it again: `handoff read " + short(a.id) + " --raw | handoff write -`"
		}
	case a.l.End != nil && (by.Operator == me || a.h.From == me):
		e.Advice = "run `handoff done --undo " + short(a.id) + "` to reopen it"
	case a.l.End == nil && by.Operator == me && a.who.Session == "":
		e.Advice = "run `handoff take --undo " + short(a.id) + "` to end the take of your other session"
	}
	return e
}

// checkRelease allows the holder, the sender and people to give back what is held. A session ends no take of another
// one of its operator, which goes on with its work.
func (a *acting) checkRelease() error {
	if !a.l.IsHeld() || a.isMine() {
		return nil
	}
	isOwn, isSender := a.l.Holder.Operator == a.who.Operator, a.who.Operator == a.h.From
	if a.who.Session != "" && (isOwn || !isSender) || !isOwn && !isSender &&
		!a.rules.List.Can(a.who.Operator, "human", a.rules.Now) {
		return a.taken()
	}
	return nil
}

// checkTo returns an error if the handoff is to another operator, with the command that is probably meant.
func (a *acting) checkTo() error {
	id, me := short(a.id), a.who.Operator
	members, _ := a.rules.List.Team(a.h.To)
	if a.who.ForOther || a.h.IsTo(me) || slices.Contains(members, me) {
		return nil
	}
	hint := "if you mean it: `handoff " + string(a.act) + " --for-other " + id + "`"
	if a.act == ActDone && a.h.From == me && a.l.Taken == nil {
		return doubtful("to take it back: `handoff write --undo "+id+"`", "%s is to %s and not taken", id, a.h.To)
	}
	return doubtful(hint, "%s is to %s", id, a.h.To)
}

func (a *acting) checkDone() error {
	by := a.c.EnderOf(a.h, a.who.Operator, a.who.Session)
	switch {
	case !a.isFree():
		return nil // it counts, or cannot
	case by != nil && a.who.Session != "":
		return &TakenError{ID: a.id, By: actionOf(by, time.Time{}), Lost: true,
			Advice: "run `handoff take " + short(a.id) + "` to take it again"}
	}
	return a.checkTo()
}

// checkTake returns an error for a handoff that is to another operator, or needs no more work.
func (a *acting) checkTake() error {
	l, id := a.l, short(a.id)
	if l.IsHeld() && !l.IsOver(a.c.Now) || l.End != nil && l.End.Type == log.Done || a.isMine() {
		return nil // it counts, or cannot
	}
	if err := a.checkTo(); err != nil || a.who.Anyway {
		return err
	}
	anyway := "`handoff take --anyway " + id + "`"
	switch a.c.State(a.h, l) {
	case StateSuperseded:
		newest := a.h
		for all := a.c.Superseders(newest); len(all) > 0; all = a.c.Superseders(newest) {
			newest = all[len(all)-1]
		}
		return fault.Invalid("run `handoff take "+short(newest.ID)+"`, or "+anyway, "%s was replaced by %s %q",
			fault.Own(id), fault.Own(short(newest.ID)), a.s.ListedOne(entry(a.c.View, newest)).Title)
	case StateExpired:
		return doubtful("if you mean it: "+anyway, "%s expired at %s", id, a.h.Expires)
	case StateArchived:
		return doubtful("run `handoff archive --undo "+id+"`, or "+anyway, "%s archived %s at %s", l.Archiver, id,
			stamp(l.ArchivedAt))
	case StateWithdrawn:
		return doubtful("run `handoff take` for another one", "%s withdrew %s at %s", l.End.Operator, id,
			stamp(l.End.At))
	}
	return nil
}

// doubtful returns the error for an action that is probably not meant. The words are our own or checked names.
func doubtful(hint, format string, words ...string) error {
	args := make([]any, len(words))
	for i, word := range words {
		args[i] = fault.Own(word)
	}
	return fault.Invalid(hint, format, args...)
}

// short returns the first digits of an id.
func short(id string) string {
	id = strings.TrimPrefix(id, form.IDPrefix)
	return id[:min(8, len(id))]
}

// checkWithdraw returns an error unless the handoff is unread and was not taken.
func (a *acting) checkWithdraw() error {
	l := a.l
	what, by, at := "", "", time.Time{}
	for _, m := range l.Reads {
		if a.h.IsTo(m.Operator) {
			what, by, at = "read", m.Operator, m.At
		}
	}
	switch {
	case l.End != nil:
		what, by, at = "done", l.End.Operator, l.End.At
	case l.Taken != nil:
		what, by, at = "taken", l.Taken.Operator, l.Taken.At
	}
	if what == "" {
		return nil
	}
	return doubtful("replace it: `handoff write FILE --supersedes "+short(a.id)+"`", "%s was %s by %s at %s",
		short(a.id), what, by, stamp(at))
}

// hasDied reports whether a session is known to be over on this machine: its process is gone.
func (s *Store) hasDied(session string) bool {
	return disk.IsGone(memory.Read(s.opt.UserState, session).Process)
}

// TakeNext takes the first handoff of Next that no other operator or session takes at the same time. ok is false if
// there is nothing to take. Errors are those of Next and Act.
func (c Lifecycle) TakeNext(ctx context.Context, who Who) (got ActReceipt, ok bool, err error) {
	for lost := map[string]bool{}; ; {
		e, ok, err := c.s.Next(who, lost)
		if err != nil || !ok {
			return got, false, err
		}
		got, err = c.s.Act(ctx, ActTake, e.ID, who)
		if !errors.As(err, new(*TakenError)) {
			return got, true, err
		}
		lost[e.ID] = true
	}
}

// Renew extends the leases of what a session holds to Options.Lease from now, once a quarter of the lease has passed.
// It leaves takes alone that have no lease. next is when a lease is to be renewed again, zero if the session has
// none. Hooks and writes call it, so it does nothing and returns no error if another program holds the lock.
func (c Lifecycle) Renew(ctx context.Context, operator, session string) (next time.Time, err error) {
	s, now := c.s, c.s.opt.Now()
	if session == "" {
		return next, nil
	}
	look, err := s.look(true)
	if err != nil {
		return next, err
	}
	var due []string
	isTheirs := func(e Entry) bool { return e.life.IsHeldBy(operator, session) && !e.life.Until.IsZero() }
	for _, e := range entries(look, isTheirs) {
		at := e.life.Until.Add(-s.opt.Lease * 3 / 4)
		if !at.After(now) {
			due, at = append(due, e.ID), now.Add(s.opt.Lease/4)
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if len(due) == 0 {
		return next, nil
	}
	isDone := s.at.Try(ctx, func(c *store.Change) error {
		for _, id := range due {
			if h := c.Of(id); h != nil {
				if l := c.Life(h); l.IsHeldBy(operator, session) {
					c.Turn(h, l, facts.Turn{Type: log.Renew, Operator: operator, Session: session,
						Until: now.Add(s.opt.Lease).Truncate(time.Second), Of: []string{l.Holder.ID}})
				}
			}
		}
		return nil
	})
	if !isDone {
		next = now.Add(time.Minute)
	}
	return next, nil
}
