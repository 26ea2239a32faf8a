package handoff

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/life"
)

// Next returns what the operator f.To should work on next: first what they hold that has expired, then the oldest by
// ts_utc. ok is false if there is nothing. The choice is among the open handoffs that they hold, and the unread ones to
// them that no other operator holds. An agent session is not offered what another session holds; session is "" for a
// person. The filter's conditions on documents apply to both; its conditions on states are ignored. skip has ids to
// leave out.
func (s *Store) Next(f Filter, session string, skip map[string]bool) (e Entry, ok bool, err error) {
	if err := cmp.Or(checkOperator(f.To), f.check()); err != nil {
		return e, false, err
	}
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return e, false, err
	}
	defer d.Close()
	s = s.Glance()
	at, me := s.stateReader(), f.To
	f = Filter{From: f.From, Topic: f.Topic, Tag: f.Tag, Since: f.Since}
	var held []Entry
	for _, h := range s.Lifecycle().Holdings(me) {
		isFree := session == "" || h.Take.Session == session || h.Take.IsOver(s.at.Now(), 0) || h.HasDied
		if isFree && f.matches(h.Entry) && s.hasTag(d, f.Tag, h.Entry) {
			held = append(held, h.Entry)
		}
	}
	f.To, f.Unread = me, true
	all, err := s.List(f)
	all = slices.DeleteFunc(append(all, held...), func(e Entry) bool { return skip[e.ID] })
	if err != nil || len(all) == 0 {
		return e, false, err
	}
	return slices.MinFunc(all, func(a, b Entry) int {
		if isLate := at.state(a) == StateExpired; isLate != (at.state(b) == StateExpired) {
			return map[bool]int{true: -1, false: 1}[isLate]
		}
		return index.CompareTimes(a.Time, b.Time)
	}), true, nil
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
		if !errors.As(err, new(*TakenError)) {
			return got, true, err
		}
		lost[e.ID] = true
	}
}

// isHeld reports whether the holder of a handoff still has work to do.
func (l stateReader) isHeld(e Entry) bool {
	state := l.state(e)
	return state == life.Taken || state == life.Expired
}
