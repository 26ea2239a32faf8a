package store

import (
	"context"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
)

// Mark plans a fact about a handoff, such as [log.MarkRead], by an operator, and returns the time that it states. If
// the fact is so already, nothing is planned, and changed is false.
func (c *Change) Mark(h *facts.Handoff, kind, operator string) (at time.Time, changed bool) {
	l := c.Life(h)
	if kind == log.MarkRead && l.IsReadBy(operator) || kind == log.MarkUnread && !l.IsReadBy(operator) ||
		(kind == log.Archive) == l.IsArchived && (kind == log.Archive || kind == log.Unarchive) {
		return at, false
	}
	at = c.TimeFor(h, l, kind, operator)
	p := log.Payload{ID: h.ID, Operator: operator, Time: log.Stamp(at)}
	if kind == log.MarkRead {
		p.AlreadyMarked = new(bool)
	}
	c.Add(kind, p)
	return at, true
}

// Turn plans turns on a handoff whose life is l, one after the other, and returns them with their times. If all of them
// count, l is the life after them. Otherwise nothing is planned.
func (c *Change) Turn(h *facts.Handoff, l *facts.Life, turns ...facts.Turn) (made []facts.Turn, count bool) {
	for i := range turns {
		t := &turns[i]
		t.At, t.IsOwn = c.TimeFor(h, l, t.Type, t.Operator), true
		p := log.Payload{ID: h.ID, Operator: t.Operator, Session: t.Session, Time: log.Stamp(t.At), Of: t.Of,
			Over: t.Over, Note: t.Note}
		if !t.Until.IsZero() {
			t.Until = t.Until.UTC().Truncate(time.Microsecond)
			p.Until = log.Stamp(t.Until)
		}
		if _, count = c.Apply(l, h, t); !count {
			c.Undo(i)
			return nil, false
		}
		c.Add(t.Type, p)
	}
	return turns, true
}

// Prune plans that documents go: the event first, then their files.
func (c *Change) Prune(all []*facts.Handoff, operator string) {
	ids := make([]string, len(all))
	for i, h := range all {
		ids[i] = h.ID
		c.removed = append(c.removed, h.File)
	}
	c.Add(log.Prune, log.Payload{Operator: operator, Time: log.Stamp(c.Now), Removed: ids})
}

// Rivals returns the turns that make some planned turns, which count here, disputed: with what others say, some of them
// do not count once all times have come; or, if the last is a take or resume, by other rules somebody else holds the
// handoff.
func (c *Change) Rivals(h *facts.Handoff, turns []facts.Turn) (rivals []*facts.Turn) {
	views := []facts.View{{Facts: c.Facts, Rules: c.Rules}}
	if kind := turns[len(turns)-1].Type; kind == log.Take || kind == log.Resume {
		views = append(views, facts.View{Facts: c.Facts})
		rivals, _ = c.View.Rivals(h, turns)
	}
	for _, v := range views {
		l := v.Life(h)
		for _, t := range turns {
			last := l.Last()
			if _, counts := v.Apply(l, h, &t); !counts && last != nil && !slices.Contains(rivals, last) {
				rivals = append(rivals, last)
			}
		}
	}
	return rivals
}

// InTheWay returns the ids of the turns that a take, the last of some turns, must name beside those that it names:
// lapsed takes, and if it takes over, all that stands in its way by some rules.
func (c *Change) InTheWay(h *facts.Handoff, turns []facts.Turn) (ids []string) {
	open, lapsed := c.View.Rivals(h, turns)
	t := turns[len(turns)-1]
	if ids = t.Of; t.Over {
		lapsed = append(lapsed, open...)
		for _, v := range []facts.View{c.View, {Facts: c.Facts, Rules: c.Rules}, {Facts: c.Facts}} {
			lapsed = append(lapsed, v.Life(h).Last())
		}
	}
	for _, t := range lapsed {
		if t != nil && !slices.Contains(ids, t.ID) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// Undo takes the last events back that were planned.
func (c *Change) Undo(count int) { c.events = c.events[:len(c.events)-count] }

// Try is Change, but gives up if the lock is not free at once, and does not say why it failed. It reports whether the
// change was made.
func (s *Store) Try(ctx context.Context, do func(*Change) error) bool {
	quick := Store{Opt: s.Opt}
	quick.Opt.LockTimeout = 0
	quick.Opt.Warn = func(string) {}
	return quick.Change(ctx, do) == nil
}

// Events calls do with each event of the log, oldest first. What is behind a damage is left out.
func (s *Store) Events(do func(log.Event)) error { return s.EventsFrom(log.Start, log.Point{}, do) }

// EventsFrom is Events from one point to another; the zero point is the end.
func (s *Store) EventsFrom(from, to log.Point, do func(log.Event)) error {
	f, size, err := s.OpenLog()
	if err != nil || f == nil {
		return err
	}
	defer f.Close()
	if to != (log.Point{}) {
		size = min(size, max(to.Offset, 0))
	}
	_, err = log.Read(f, size, from, func(change []log.Event) {
		for _, e := range change {
			do(e)
		}
	})
	return errOther(err, new(*log.Damage))
}
