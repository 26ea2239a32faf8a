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

	actResume Act = "resume" // see Records.Resume
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
}

// StatusChanged means that the mark or action of a receipt is new.
const StatusChanged = "changed"

// A TakenError is the error for a handoff that another operator or session holds or has ended. It wraps no class, since
// nothing is wrong with the store.
type TakenError struct {
	ID     string
	By     Action
	Ended  string // "finished" or "withdrew", as By did; "" if By holds the handoff
	Lost   bool   // By ended the take of the session that asks, and the handoff has no holder
	Advice string // what to do next

	Disputed []string // the holders by other rules, or once the times that turns state have come; By is one of them
}

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
	s := c.s
	if err := cmp.Or(s.at.Guard(), checkWho(who), s.at.CheckPlaces()); err != nil {
		return err
	}
	s.bringIn(ctx)
	entries, err := s.FindEach(ids)
	if err != nil {
		return err
	}
	all := make([]*acting, 0, len(entries))
	seen := map[string]bool{}
	for _, e := range entries {
		if !seen[e.ID] {
			seen[e.ID] = true
			all = append(all, &acting{s: s, rules: s.at.Rules(), act: act, id: e.ID, who: who})
		}
	}
	plan := func(c *store.Change) (mustAsk bool) {
		for _, a := range all {
			a.err = a.plan(c)
			mustAsk = mustAsk || a.err != nil || a.got.Status == StatusExisting
		}
		return mustAsk
	}
	if err := s.do(ctx, act, entries, plan); err != nil {
		return fault.Unpublished(err)
	}
	return s.tell(all, each)
}

// do makes the change of actions. In a store that has synced, turns are the remote's to accept.
func (s *Store) do(ctx context.Context, act Act, entries []Entry, plan func(*store.Change) bool) error {
	look, err := s.look(true)
	if err != nil {
		return err
	}
	isTurn := act != ActArchive && act != ActUnarchive
	if look.Sync.Remote == "" || !isTurn || s.opt.Offline {
		if isTurn && look.Sync.Remote != "" {
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
	err = x.Act(ctx, idsOf(entries), plan)
	if err != nil && fault.Class(err) == nil {
		err = fault.New(nil, "run it again, or add --offline: then the next sync tells whether it counts",
			"remote unreachable; nothing done: %v", err)
	}
	return err
}

// tell calls each with the receipts, and returns the reasons of the others.
func (s *Store) tell(all []*acting, each func(ActReceipt) error) error {
	look, err := s.look(false)
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.err == nil {
			if h := look.Of(a.id); h != nil {
				a.got.State = look.State(h, look.Life(h))
			}
			if err := each(a.got); err != nil {
				return err
			}
		}
	}
	return fault.Join(all, func(a *acting) error { return a.err })
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

// An acting is an action of somebody on a handoff.
type acting struct {
	s     *Store
	rules operators.Rules // of the present operators file
	act   Act
	id    string
	who   Who

	got ActReceipt
	err error
}

// plan adds the events of the action to a change, and makes its receipt.
func (a *acting) plan(c *store.Change) error {
	h := c.Of(a.id)
	if h == nil || h.Pruned {
		return a.s.at.UnknownID(a.id)
	}
	a.got = ActReceipt{ID: a.id, Act: a.act, Operator: a.who.Operator, Status: StatusChanged}
	if a.act == ActSteal {
		a.got.Act = ActTake
	}
	if a.act == ActArchive || a.act == ActUnarchive {
		return a.archive(c, h)
	}
	l := c.Life(h)
	t, isSo, err := a.turn(c, h, l)
	if err == nil && !isSo {
		if err = a.rules.MayAct(&t, h); err == nil {
			err = a.doubt(c, h, l)
		}
	}
	if err != nil {
		return err
	}
	if isSo {
		a.existing(l, c.Now)
		return nil
	}
	turns := a.turns(l, t)
	isShared := c.Sync.Remote != ""
	if made := &turns[len(turns)-1]; isShared && (t.Type == log.Take || t.Type == log.Resume) {
		made.At = c.Now
		made.Of = c.InTheWay(h, turns)
	}
	turns, counts := c.Turn(h, l, turns...)
	if !counts {
		return a.refused(c, h, l)
	}
	if isShared && !a.s.opt.Offline {
		if rivals := c.Rivals(h, turns); len(rivals) > 0 {
			c.Undo(len(turns))
			return disputed(a.id, rivals)
		}
	}
	a.got.Time = stamp(turns[len(turns)-1].At)
	if t.Type == log.Take || t.Type == log.Resume {
		a.got.Session, a.got.Until = t.Session, stamp(l.Until)
	}
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

// turns returns a turn, and before a take of what a dead session holds the release by that session.
func (a *acting) turns(l *facts.Life, t facts.Turn) []facts.Turn {
	if l.Holder == nil || t.Type != log.Take || !a.isDead(l) {
		return []facts.Turn{t}
	}
	t.Of = nil
	return []facts.Turn{{Type: log.Release, Operator: l.Holder.Operator, Session: l.Holder.Session,
		Of: []string{l.Holder.ID}, Note: "session ended"}, t}
}

// turn returns the turn that the action is. isSo reports that nothing is left to do.
func (a *acting) turn(c *store.Change, h *facts.Handoff, l *facts.Life) (t facts.Turn, isSo bool, err error) {
	t = facts.Turn{Operator: a.who.Operator, Session: a.who.Session, Note: a.who.Reason}
	last := l.Last()
	isSo = l.End != nil && l.End.Operator == t.Operator
	switch a.act {
	case ActTake, ActSteal, actResume:
		isSo = a.takeTurn(&t, l, c.Now)
		if !t.Over && !(l.End == nil && l.IsOver(c.Now.Add(-a.grace(c)))) {
			return t, isSo, nil
		}
	case ActRelease:
		if t.Type, isSo = log.Release, l.Holder == nil && l.End == nil; l.IsHeld() && !a.mayRelease(h, l) {
			err = a.taken(h, l)
		}
	case ActDone:
		t.Type, isSo = log.Done, isSo && l.End.Type == log.Done
		if by := c.EnderOf(h, t.Operator, t.Session); by != nil && t.Session != "" && l.Last() == nil {
			err = &TakenError{ID: a.id, By: actionOf(by, time.Time{}), Lost: true,
				Advice: "run `handoff take " + short(a.id) + "` to take it again"}
		}
	case ActReopen:
		t.Type, isSo = log.Reopen, l.End == nil
	case ActWithdraw:
		t.Type, isSo = log.Withdraw, isSo && l.End.Type == log.Withdraw
		if !isSo {
			err = a.checkWithdraw(h, l)
		}
	default:
		err = fault.Invalid("", "%q is not an action", a.act)
	}
	if last != nil {
		t.Of = []string{last.ID}
	}
	return t, isSo, err
}

// grace is how long a lease is over before others take over: the clocks of clones differ.
func (a *acting) grace(c *store.Change) time.Duration {
	if c.Sync.Remote != "" {
		return facts.Ahead
	}
	return 0
}

// takeTurn completes the turn of a take or a resume. isSo is as in turn.
func (a *acting) takeTurn(t *facts.Turn, l *facts.Life, now time.Time) (isSo bool) {
	if t.Type = log.Take; a.act == actResume {
		t.Type = log.Resume
	}
	t.Until, t.Over = a.leaseEnd(now), a.act == ActSteal
	isLonger := t.Until.After(l.Until) && (a.who.For > 0 || l.IsOver(now))
	return l.IsHeldBy(t.Operator, t.Session) && (t.Type == log.Take || l.Resumed != nil) && !isLonger
}

// leaseEnd returns the end of a take, zero if it has none: only sessions have a lease by default.
func (a *acting) leaseEnd(now time.Time) time.Time {
	lasts := a.who.For
	if lasts == 0 && a.who.Session != "" {
		lasts = a.s.opt.Lease
	}
	if lasts <= 0 {
		return time.Time{}
	}
	return now.Add(lasts).Truncate(time.Second)
}

// isDead reports whether the handoff is held by a session of the same operator that has died on this machine.
func (a *acting) isDead(l *facts.Life) bool {
	return l.End == nil && l.Holder.Operator == a.who.Operator && l.Holder.Session != a.who.Session &&
		a.s.hasDied(l.Holder.Session)
}

// archive plans to hide a handoff, or to show it again.
func (a *acting) archive(c *store.Change, h *facts.Handoff) error {
	if err := a.rules.MayArchive(a.who.Operator, h.From, h.To); err != nil {
		return err
	}
	if err := a.known(c); err != nil {
		return err
	}
	l, kind := c.Life(h), log.Archive
	if a.act == ActUnarchive {
		kind = log.Unarchive
	} else if l.IsHeld() {
		return doubtful("run `handoff take --undo "+short(a.id)+"` first", "%s took %s at %s", l.Holder.Operator,
			short(a.id), stamp(l.Holder.At))
	}
	at, changed := c.Mark(h, kind, a.who.Operator)
	if a.got.Time = stamp(at); changed {
		return nil
	}
	if a.got.Status, a.got.Time = StatusExisting, stamp(c.Now); l.Archiver != "" {
		a.got.Operator, a.got.Time = l.Archiver, stamp(l.ArchivedAt)
	}
	return nil
}

// known returns an error if the accepted rules do not know the operator, so that nothing it does would count.
func (a *acting) known(c *store.Change) error {
	if c.View.Rules != nil && !c.View.Rules.Knows(a.who.Operator, c.Now) {
		return fault.Denied("run `handoff operators trust`", "the accepted rules do not know %s",
			fault.Own(a.who.Operator))
	}
	if c.NeedsSeal(a.who.Operator) {
		return fault.Denied("set sign: true in your configuration; `handoff help settings` says where",
			"what %s does counts only with a signature", fault.Own(a.who.Operator))
	}
	return nil
}

// existing completes the receipt of an action that was done before.
func (a *acting) existing(l *facts.Life, now time.Time) {
	a.got.Status, a.got.Time = StatusExisting, stamp(now)
	if last := l.Last(); last != nil {
		a.got.Operator, a.got.Time = last.Operator, stamp(last.At)
		if last == l.Holder {
			a.got.Session, a.got.Until = last.Session, stamp(l.Until)
		}
	}
}

// refused returns why a turn does not count.
func (a *acting) refused(c *store.Change, h *facts.Handoff, l *facts.Life) error {
	if err := a.known(c); err != nil {
		return err
	}
	if by := l.Resumed; a.act == actResume && by != nil &&
		(by.Operator != a.who.Operator || l.End != nil || l.Holder == nil) {
		return &ConsumedError{ID: a.id, By: actionOf(by, time.Time{})}
	}
	if l.Last() == nil {
		return fault.Denied("ask its sender", "%s cannot be ended by %s", short(a.id), fault.Own(a.who.Operator))
	}
	return a.taken(h, l)
}

// taken returns the error about the operator who holds the handoff, or has ended it.
func (a *acting) taken(h *facts.Handoff, l *facts.Life) error {
	by, until, me := l.Last(), l.Until, a.who.Operator
	e := &TakenError{ID: a.id, Advice: "run `handoff take` for another one"}
	if l.End != nil {
		until, e.Ended = time.Time{}, "finished"
	}
	switch e.By = actionOf(by, until); {
	case by.Type == log.Withdraw:
		if e.Ended = "withdrew"; by.Operator == me {
			e.Advice = "to send it again: `handoff read " + short(a.id) + " --raw | handoff write -`"
		}
	case l.End != nil && (by.Operator == me || h.From == me):
		e.Advice = "run `handoff done --undo " + short(a.id) + "` to reopen it"
	case l.End == nil && by.Operator == me && a.who.Session == "":
		e.Advice = "run `handoff take --undo " + short(a.id) + "` to end the take of your other session"
	}
	return e
}

// mayRelease reports whether who may give back what the holder has: the holder, the sender, and people. A session ends
// no take of another one of its operator, which goes on with its work.
func (a *acting) mayRelease(h *facts.Handoff, l *facts.Life) bool {
	isOwn := l.Holder.Operator == a.who.Operator
	switch {
	case l.IsHeldBy(a.who.Operator, a.who.Session):
		return true
	case a.who.Session != "":
		return a.who.Operator == h.From && !isOwn
	}
	return isOwn || a.who.Operator == h.From || a.rules.List.Can(a.who.Operator, "human", a.rules.Now)
}

// doubt returns an error if a take or done is probably not meant, with the command that is.
func (a *acting) doubt(c *store.Change, h *facts.Handoff, l *facts.Life) error {
	isTake, id := a.act == ActTake, short(h.ID)
	isHeld := l.IsHeld() && !(isTake && l.IsOver(c.Now))
	isEnded := l.End != nil && (!isTake || l.End.Type == log.Done)
	switch {
	case !isTake && a.act != ActDone, isHeld, isEnded, l.IsHeldBy(a.who.Operator, a.who.Session):
		return nil // it counts, or cannot
	case a.isTo(h) || a.who.ForOther:
		if !isTake || a.who.Anyway {
			return nil
		}
		return a.doubtTake(c, h, l)
	case !isTake && h.From == a.who.Operator && l.Taken == nil:
		return doubtful("to take it back: `handoff write --undo "+id+"`", "%s is to %s and not taken", id, h.To)
	}
	return doubtful("if you mean it: `handoff "+string(a.act)+" --for-other "+id+"`", "%s is to %s", id, h.To)
}

// isTo reports whether the handoff is to who, alone or in a team.
func (a *acting) isTo(h *facts.Handoff) bool {
	members, _ := a.rules.List.Team(h.To)
	return h.IsTo(a.who.Operator) || slices.Contains(members, a.who.Operator)
}

// doubtTake returns an error for a handoff that needs no more work.
func (a *acting) doubtTake(c *store.Change, h *facts.Handoff, l *facts.Life) error {
	id := short(h.ID)
	anyway := "`handoff take --anyway " + id + "`"
	switch c.State(h, l) {
	case StateSuperseded:
		newest := h
		for all := c.Superseders(h); len(all) > 0; all = c.Superseders(newest) {
			newest = all[len(all)-1]
		}
		return fault.Invalid("run `handoff take "+short(newest.ID)+"`, or "+anyway, "%s was replaced by %s %q",
			fault.Own(id), fault.Own(short(newest.ID)), a.s.ListedOne(entry(c.View, newest)).Title)
	case StateExpired:
		return doubtful("if you mean it: "+anyway, "%s expired at %s", id, h.Expires)
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

// checkWithdraw returns an error unless the handoff was sent by who, and is unread and not taken.
func (a *acting) checkWithdraw(h *facts.Handoff, l *facts.Life) error {
	if h.From != a.who.Operator {
		return fault.Denied("ask "+h.From, "%s was sent by %s: only its sender can withdraw it", short(h.ID),
			fault.Own(h.From))
	}
	what, by, at := "", "", time.Time{}
	for _, m := range l.Reads {
		if h.IsTo(m.Operator) {
			what, by, at = "read", m.Operator, m.At
		}
	}
	switch {
	case l.End != nil && l.End.Operator != a.who.Operator:
		what, by, at = "done", l.End.Operator, l.End.At
	case l.Taken != nil && l.End == nil:
		what, by, at = "taken", l.Taken.Operator, l.Taken.At
	}
	if what == "" {
		return nil
	}
	return doubtful("replace it: `handoff write FILE --supersedes "+short(h.ID)+"`", "%s was %s by %s at %s",
		short(h.ID), what, by, stamp(at))
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
// none. Hooks call it, so it does nothing and returns no error if another program holds the lock.
func (c Lifecycle) Renew(ctx context.Context, operator, session string) (next time.Time, err error) {
	s, now := c.s, c.s.opt.Now()
	look, err := s.look(true)
	if err != nil || session == "" {
		return next, err
	}
	var due []string
	for _, h := range look.Listed() {
		l := look.Life(h)
		if !l.IsHeldBy(operator, session) || l.Until.IsZero() {
			continue
		}
		at := l.Until.Add(-s.opt.Lease * 3 / 4)
		if !at.After(now) {
			due, at = append(due, h.ID), now.Add(s.opt.Lease/4)
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
