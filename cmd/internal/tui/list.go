package tui

import (
	"cmp"
	"slices"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A view is a selection of handoffs.
type view struct {
	name string
	has  func(r *row, me string) bool
}

// views are the views in the order of tab. If the operator is unknown, there is only the last.
var views = []view{
	{"Inbox", func(r *row, me string) bool { return r.IsTo(me) || r.taker == me }},
	{"Sent", func(r *row, me string) bool { return r.From == me }},
	{"All", func(*row, string) bool { return true }},
}

// A section has the handoffs in some states. The first has the look of the section.
type section struct {
	name   string
	states []handoff.State
	empty  string // what an empty column of the board says
}

const sectionCount = 3

// sections are the sections from top to bottom, and from left to right. In a search the last one has all other states.
var sections = [sectionCount]section{
	{"Unread", []handoff.State{handoff.StateUnread}, "Nothing is unread."},
	{"Taken", []handoff.State{handoff.StateTaken}, "Nothing is taken."},
	{"Done", []handoff.State{handoff.StateDone, handoff.StateRead}, "Finished work will be here."},
}

// sectionOf returns the number of the section of a state, -1 if it is hidden.
func (l *list) sectionOf(state handoff.State) int {
	for s := range sections {
		if slices.Contains(sections[s].states, state) {
			return s
		}
	}
	if l.query != "" {
		return sectionCount - 1
	}
	return -1
}

// A list holds the handoffs of a store, and those that are shown.
type list struct {
	me   string
	rows []row // newest first
	view int

	query string
	found map[string]int // the rank of each handoff whose text has the query

	board bool
	shown []int             // indexes of rows, section by section
	ends  [sectionCount]int // where each section ends in shown
	at    int               // the place of the chosen one in shown
	wide  int               // the length of the longest name in shown
}

// choose fills the sections, and chooses the handoff with an id if it is there. One that was just finished is not
// followed: the next one takes its place.
func (l *list) choose(id string) {
	was, has, isFound := l.turn(), views[l.viewed()].has, l.matcher()
	l.shown, l.wide = l.shown[:0], 0
	for s := range sections {
		from := len(l.shown)
		for i := range l.rows {
			if r := &l.rows[i]; l.sectionOf(r.state) == s && has(r, l.me) && isFound(r) {
				l.shown, l.wide = append(l.shown, i), max(l.wide, len(r.From), len(r.To))
			}
		}
		part := l.shown[from:]
		if l.found != nil {
			slices.SortStableFunc(part, func(a, b int) int { return cmp.Compare(l.rank(a), l.rank(b)) })
		}
		at := slices.IndexFunc(part, func(i int) bool { return l.rows[i].ID == id })
		if at >= 0 && (was == s || l.rows[part[at]].state != handoff.StateDone) {
			l.at = from + at
		}
		l.ends[s] = len(l.shown)
	}
	l.at = max(0, min(l.at, len(l.shown)-1))
}

// viewed returns the view that is shown: a search is for all handoffs.
func (l *list) viewed() int {
	if l.query != "" {
		return len(views) - 1
	}
	return l.view
}

// of returns where a section begins and ends in shown.
func (l *list) of(s int) (from, to int) {
	if s > 0 {
		from = l.ends[s-1]
	}
	return from, l.ends[s]
}

// turn returns the section of the chosen handoff.
func (l *list) turn() int {
	return max(0, slices.IndexFunc(l.ends[:], func(end int) bool { return l.at < end }))
}

// move moves the choice: on the board in its column, in the list through all sections.
func (l *list) move(by int) {
	from, to := 0, len(l.shown)
	if l.board {
		from, to = l.of(l.turn())
	}
	l.at = max(from, min(l.at+by, to-1))
}

// lineOf returns the line of a place in the list, in which each section has a heading.
func (l *list) lineOf(at int) int {
	line := at
	for s := range sections {
		if from, to := l.of(s); from < to && from <= at {
			line++
		}
	}
	return line
}

// top returns the first of n lines to show where there is room for some of them: the chosen one is in the middle.
func top(chosen, n, room int) int { return max(0, min(chosen-room/2, n-room)) }

// chosen returns the chosen row, or nil.
func (l *list) chosen() *row {
	if l.at < len(l.shown) {
		return &l.rows[l.shown[l.at]]
	}
	return nil
}

func (l *list) id() string {
	if r := l.chosen(); r != nil {
		return r.ID
	}
	return ""
}
