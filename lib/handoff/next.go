package handoff

import (
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Next returns what the operator should turn to: the first of what they have taken and not ended, and of what is for them, unread
// and had by nobody. What they have and has expired is overdue and comes first, then what is oldest by its ts_utc. ok is false
// if there is nothing. Those of skip, by id, are left out.
func (s *Store) Next(operator string, skip map[string]bool) (e Entry, ok bool, err error) {
	if err := checkOperator(operator); err != nil {
		return e, false, err
	}
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return e, false, err
	}
	defer d.Close()
	at := s.standing()
	mine := at.facts().TakenBy(operator)
	unread := Filter{To: operator, Unread: true}
	isNot := unread.skip()
	for {
		best := first{overdue: func(id string) bool { return mine[id] && at.facts().Of(id).IsExpired(s.opt.Now()) }}
		_, _, err = s.at.Scan(d, store.Choice{
			IsNot: func(line []byte) bool {
				return (isNot(line) || best.isBefore(line)) && (len(mine) == 0 || !mine[string(index.RowID(line))])
			},
			Is: func(e Entry) bool {
				if !skip[e.ID] && (mine[e.ID] || unread.matches(e)) && best.isAfter(e) && at.isOpen(e, mine[e.ID]) {
					best.set(e)
				}
				return false
			}})
		if err != nil || best.ID == "" {
			return Entry{}, false, err
		}
		e, err = s.at.Find(d, best.ID) // with the marks of all its rows
		if err != nil || mine[e.ID] || unread.matches(e) {
			return e, err == nil, err
		}
		skip = with(skip, e.ID)
	}
}

func with(skip map[string]bool, id string) map[string]bool {
	more := map[string]bool{id: true}
	for id := range skip {
		more[id] = true
	}
	return more
}

// isOpen reports whether something is to be done with a handoff by who has it, or by anybody.
func (l standing) isOpen(e Entry, mine bool) bool {
	state := l.state(e)
	if mine {
		return state == life.Taken || state == life.Expired
	}
	return !state.LeavesUnread() && state != life.Awaiting
}

// first is the first of the entries that were set.
type first struct {
	Entry
	overdue func(id string) bool
	isLate  bool
}

// isAfter reports whether it comes after e.
func (f *first) isAfter(e Entry) bool {
	if f.ID == "" {
		return true
	}
	if late := f.overdue(e.ID); late != f.isLate {
		return late
	}
	return index.CompareTimes(e.Time, f.Time) < 0
}

// isBefore reports whether it comes before what a line lists, if that is not overdue.
func (f *first) isBefore(line []byte) bool {
	return f.ID != "" && index.IsRowLike(line) && index.CompareTimes(string(index.Cell(line, 5)), f.Time) >= 0
}

func (f *first) set(e Entry) {
	f.Entry = Entry{ID: strings.Clone(e.ID), Time: strings.Clone(e.Time)}
	f.isLate = f.overdue(e.ID)
}
