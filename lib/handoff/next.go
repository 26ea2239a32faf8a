package handoff

import (
	"maps"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Next returns what the operator should turn to, as life.First has it: of what they have taken and not
// ended, and of what is for them, unread and had by nobody. ok is false if there is nothing. Those of
// skip, by id, are left out.
func (s *Store) Next(operator string, skip map[string]bool) (e Entry, ok bool, err error) {
	if err := checkOperator(operator); err != nil {
		return e, false, err
	}
	d, err := s.at.Reader()
	if err != nil || d == nil {
		return e, false, err
	}
	defer d.Close()
	at, left := s.standing(), maps.Clone(skip)
	mine := at.facts().TakenBy(operator)
	unread := Filter{To: operator, Unread: true}
	isNot := unread.skip()
	for {
		first := life.First{Mine: mine, Facts: at.facts(), Now: s.opt.Now()}
		_, _, err = s.at.Scan(d, store.Choice{
			IsNot: func(line []byte) bool {
				return (isNot(line) || first.IsBefore(line)) && (len(mine) == 0 || !mine[string(index.RowID(line))])
			},
			Is: func(e Entry) bool {
				if !left[e.ID] && (mine[e.ID] || unread.matches(e)) {
					first.Try(e, func() bool { return at.isOpen(e, mine[e.ID]) })
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
		if left == nil {
			left = make(map[string]bool)
		}
		left[e.ID] = true
	}
}

// isOpen reports whether something is to be done with a handoff by who has it, or by anybody.
func (l standing) isOpen(e Entry, mine bool) bool {
	state := l.state(e)
	if mine {
		return state == life.Taken || state == life.Expired
	}
	return !state.LeavesUnread() && state != life.Awaiting
}
