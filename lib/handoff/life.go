package handoff

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// A Lifecycle gives access to the states of handoffs: who took and finished them, and their successors.
type Lifecycle struct{ s *Store }

// Lifecycle returns the states of the handoffs of the store.
func (s *Store) Lifecycle() Lifecycle { return Lifecycle{s} }

// An Action is who did something to a handoff, in which session and when. Until is the end of the lease of a take, or
// "". Note is the reason that the operator gave. The zero value means that nobody did.
type Action struct{ Operator, Session, Time, Until, Note string }

// IsDone reports whether somebody did it.
func (a Action) IsDone() bool { return a.Operator != "" }

func actionOf(t *facts.Turn, until time.Time) Action {
	if t == nil {
		return Action{}
	}
	return Action{t.Operator, t.Session, stamp(t.At), stamp(until), t.Note}
}

// A Life is what happened to a handoff. Take is its holder, Done who finished or withdrew it, Archive who archived it.
type Life struct{ Take, Done, Archive Action }

// Life returns what happened to a handoff when the entry was listed.
func (e Entry) Life() (life Life) {
	l := e.life
	if l == nil {
		return life
	}
	if life.Done = actionOf(l.End, time.Time{}); l.End == nil {
		life.Take = actionOf(l.Holder, l.Until)
	}
	if l.IsArchived {
		life.Archive = Action{Operator: l.Archiver, Time: stamp(l.ArchivedAt)}
	}
	return life
}

// Successors returns the ids of the handoffs that supersede one.
func (c Lifecycle) Successors(id string) (ids []string) {
	look, err := c.s.look(false)
	if err != nil {
		return nil
	}
	if h := look.Of(id); h != nil {
		for _, by := range look.Superseders(h) {
			ids = append(ids, by.ID)
		}
	}
	return ids
}

// An Ending is what others did to a handoff so that an operator need not wait for it, or work on it. Note is
// the reason that they gave, or "".
type Ending struct {
	Entry Entry

	// Act is ActDone for a handoff of the operator, and ActWithdraw for one to the operator. For a handoff that the
	// operator had taken, it is ActTake if another operator or session took it over, ActRelease if it was released, and
	// ActDone.
	Act            Act
	By, Note, Time string
	Lost           bool // the operator had taken it, or it was to the operator
}

// Endings returns the handoffs of an operator that others have finished in the last time, at most a week, and those
// that others have taken away from a session of the operator, in the order of these events. What cannot be read is
// left out.
func (c Lifecycle) Endings(operator, session string, last time.Duration) (all []Ending) {
	look, err := c.s.look(true)
	if err != nil {
		return nil
	}
	start := look.Now.Add(-last)
	for _, e := range entries(look, func(Entry) bool { return true }) {
		by, act, isLost := endingOf(look.View, e, operator, session)
		if by != nil && (isLost || e.From == operator && act != ActWithdraw) && by.At.After(start) {
			all = append(all, Ending{e, act, by.Operator, by.Note, stamp(by.At), isLost})
		}
	}
	slices.SortFunc(all, func(a, b Ending) int {
		return cmp.Or(compareTimes(a.Time, b.Time), cmp.Compare(a.Entry.ID, b.Entry.ID))
	})
	return all
}

// endingOf returns the turn of others that ended a handoff, or the take of a session of the operator.
func endingOf(v facts.View, e Entry, operator, session string) (by *facts.Turn, act Act, isLost bool) {
	l := e.life
	if l.End != nil && l.End.Type == log.Withdraw {
		return l.End, ActWithdraw, e.IsTo(operator) && e.From != operator
	}
	ender := v.EnderOf(e.of, operator, session)
	switch isOthers := l.End != nil && l.End.Operator != operator; {
	case isOthers:
		return l.End, ActDone, ender != nil
	case ender == nil || l.End != nil:
		return nil, "", false
	case l.Holder != nil:
		return ender, ActTake, true
	}
	return ender, ActRelease, true
}

// A Holding is a handoff that an operator holds. Take has the session and the lease; HasDied reports that the process
// of that session is gone.
type Holding struct {
	Entry   Entry
	Take    Action
	HasDied bool
}

// Holdings returns what an operator has taken and not finished, the oldest take first.
func (c Lifecycle) Holdings(operator string) (all []Holding) {
	look, err := c.s.look(true)
	if err != nil {
		return nil
	}
	isTheirs := func(e Entry) bool { return e.life.IsHeld() && e.life.Holder.Operator == operator }
	for _, e := range entries(look, isTheirs) {
		all = append(all, Holding{e, e.Life().Take, c.s.hasDied(e.life.Holder.Session)})
	}
	slices.SortStableFunc(all, func(a, b Holding) int { return compareTimes(a.Take.Time, b.Take.Time) })
	return all
}

// NewerOf returns the newest handoff that was written from the same file as another one, by the same sender to the same
// recipient, and is still open. ok is false if the other one is the newest.
func (c Lifecycle) NewerOf(e Entry) (newer Entry, ok bool) {
	if e.of == nil {
		return newer, false
	}
	for _, found := range c.FromFiles()[e.of.Source] {
		if found.From == e.From && found.To == e.To && found.of.Order > e.of.Order {
			newer, ok = found, true
		}
	}
	return newer, ok
}

// FromFiles returns the open handoffs that were written from files, oldest first, by the path of the file below the
// project root.
func (c Lifecycle) FromFiles() map[string][]Entry {
	all := map[string][]Entry{}
	look, err := c.s.look(true)
	if err != nil {
		return all
	}
	for _, e := range entries(look, func(e Entry) bool { return e.of.Source != "" && !e.State.IsClosed() }) {
		all[e.of.Source] = append(all[e.of.Source], e)
	}
	return all
}

// Last returns the id of the handoff that an operator has finished last (ActDone), or archived last (ActArchive). It
// returns "" if the operator has done so with none, or has undone it.
func (c Lifecycle) Last(operator string, act Act) (id string) {
	look, err := c.s.look(false)
	if err != nil {
		return ""
	}
	var last time.Time
	for _, h := range look.Listed() {
		l := look.Life(h)
		at, by := l.ArchivedAt, l.Archiver
		if act == ActDone {
			at, by = time.Time{}, ""
			if l.End != nil {
				at, by = l.End.At, l.End.Operator
			}
		} else if !l.IsArchived {
			by = ""
		}
		if by == operator && at.After(last) {
			id, last = h.ID, at
		}
	}
	return id
}
