package handoff

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Next returns what the operator f.To should work on next, in the order of life.First. ok is false if there is
// nothing. The choice is among the open handoffs that they hold, and the unread ones to them that no other operator
// holds. An agent session is not offered what another session holds; session is "" for a person. The filter's
// conditions on documents apply to both; its conditions on states are ignored. skip has ids to leave out.
func (s *Store) Next(f Filter, session string, skip map[string]bool) (e Entry, ok bool, err error) {
	if err := cmp.Or(checkOperator(f.To), f.check()); err != nil {
		return e, false, err
	}
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return e, false, err
	}
	defer d.Close()
	at := s.stateReader()
	mine := at.facts().TakenBy(f.To)
	left := s.heldElsewhere(at, mine, session)
	maps.Copy(left, skip)
	asked := Filter{From: f.From, Topic: f.Topic, Tag: f.Tag, Since: f.Since, Until: f.Until, Here: f.Here}
	unread := asked
	unread.To, unread.Unread = f.To, true
	isNot := index.NotFor(f.To, true)
	keep, err := s.keep(d, asked, at, nil)
	if err != nil {
		return e, false, err
	}
	for {
		first := life.First{Mine: mine, Facts: at.facts(), Now: s.opt.Now()}
		_, _, err = s.at.Scan(d, store.Choice{
			IsNot: func(line []byte) bool {
				return (isNot(line) || first.IsBefore(line)) && (len(mine) == 0 || !mine[string(index.RowID(line))])
			},
			Is: func(e Entry) bool {
				if !left[e.ID] && (mine[e.ID] && asked.matches(e) || unread.matches(e)) {
					first.Try(e, func() bool { return at.isOpen(e, mine[e.ID]) && keep(e) })
				}
				return false
			}})
		if err != nil || first.ID == "" {
			return Entry{}, false, err
		}
		e, err = s.at.Find(d, first.ID) // with the marks of all its rows
		if err != nil || mine[e.ID] || unread.matches(e) {
			return e, err == nil, err
		}
		left[e.ID] = true
	}
}

// TakeNext takes the first handoff of Next that no other operator or session takes at the same time. ok is false if
// there is nothing to take. Errors are those of Next and Act.
func (c Lifecycle) TakeNext(ctx context.Context, f Filter, who Consumption) (got ActReceipt, ok bool, err error) {
	for lost := make(map[string]bool); ; {
		e, ok, err := c.s.Next(f, who.Session, lost)
		if err != nil || !ok {
			return got, false, err
		}
		got, err = c.s.Act(ctx, ActTake, e.ID, who)
		if !errors.As(err, new(*TakenError)) && !errors.As(err, new(*LostError)) {
			return got, true, err
		}
		lost[e.ID] = true
	}
}

// heldElsewhere returns the held handoffs that an agent session cannot take. Another session holds each of them. The
// lease of that session has not ended, and its process may still run.
func (s *Store) heldElsewhere(at stateReader, held map[string]bool, session string) map[string]bool {
	elsewhere := make(map[string]bool)
	for id := range held {
		by := at.facts().Of(id).Take.Holds()
		isFree := session == "" || by.Session == session || by.IsOver(s.at.Now(), 0)
		elsewhere[id] = !isFree && !s.drafts().HasDied(by.Session)
	}
	return elsewhere
}

// isOpen reports whether the holder, or anyone if there is none, still has work to do.
func (l stateReader) isOpen(e Entry, mine bool) bool {
	state := l.state(e)
	if mine {
		return state == life.Taken || state == life.Expired
	}
	return !state.LeavesUnread()
}
