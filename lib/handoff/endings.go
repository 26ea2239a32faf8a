package handoff

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// An Ending is what others did to a handoff so that an operator need not wait for it, or work on it, any more. Note is
// the reason that they gave, or "".
type Ending struct {
	Entry Entry

	// Act is ActDone for a handoff of the operator. For a handoff that the operator had taken, it is
	// ActTake if another operator or session took it over, ActRevoke if it was released, and ActDone.
	Act            Act
	By, Note, Time string
	Lost           bool // the operator had taken it
}

// Endings returns the handoffs of an operator that others have finished in the last time, and those that
// others have taken away from a session of the operator, in the order of these events. What cannot be read is left out.
func (c Lifecycle) Endings(operator, session string, last time.Duration) (all []Ending) {
	facts, start := c.s.stateReader().facts(), c.s.opt.Now().Add(-last).UTC().Format(time.RFC3339)
	note := c.Notes()
	add := func(id string, act Act, by Action, isLost bool) {
		isOwn := by.Operator == operator && (!isLost || by.Session == session)
		if !by.IsDone() || isOwn || index.CompareTimes(by.Time, start) < 0 {
			return
		}
		if e, err := c.s.Find(id); err == nil && (isLost || e.From == operator) {
			all = append(all, Ending{e, act, by.Operator, note(id, act, by), by.Time, isLost})
		}
	}
	for id := range facts.EndedSince(start, operator, session) {
		h := facts.Of(id)
		lost := h.RevokedBy(operator, session)
		switch isLost := lost.IsDone(); {
		case h.Done.IsDone():
			add(id, ActDone, h.Done, isLost)
		case h.Take.Holds().IsDone():
			add(id, ActTake, lost, isLost)
		default:
			add(id, ActRevoke, lost, isLost)
		}
	}
	slices.SortFunc(all, func(a, b Ending) int {
		return cmp.Or(index.CompareTimes(a.Time, b.Time), cmp.Compare(a.Entry.ID, b.Entry.ID))
	})
	return all
}

// Notes returns a function that returns the reason that an operator gave for an action, or "".
func (c Lifecycle) Notes() func(id string, act Act, by Action) string {
	notes := sync.OnceValue(func() map[[3]string]string {
		reasons, _ := store.InState(c.s.at, txn.ReadReasons)
		return reasons
	})
	return func(id string, act Act, by Action) string { return notes()[[3]string{id, string(act), by.Time}] }
}

// A Holding is a handoff that an operator holds. Take has the session and the lease; HasDied reports that the process
// of that session is gone.
type Holding struct {
	Entry   Entry
	Take    Action
	HasDied bool
}

// Last returns the id of the handoff that an operator has finished last (ActDone), or archived last (ActArchive). It
// returns "" if the operator has done so with none, or has undone it.
func (c Lifecycle) Last(operator string, act Act) (id string) {
	return c.s.stateReader().facts().LastBy(operator, act == ActArchive)
}

// Holdings returns what an operator has taken and not finished, the oldest take first.
func (c Lifecycle) Holdings(operator string) (all []Holding) {
	at := c.s.stateReader()
	for id := range at.facts().TakenBy(operator) {
		if e, err := c.s.Find(id); err == nil && at.isHeld(e) {
			take := at.facts().Of(id).Take.Holds()
			all = append(all, Holding{e, take, c.s.hasDied(take.Session)})
		}
	}
	slices.SortFunc(all, func(a, b Holding) int {
		return cmp.Or(index.CompareTimes(a.Take.Time, b.Take.Time), cmp.Compare(a.Entry.ID, b.Entry.ID))
	})
	return all
}
