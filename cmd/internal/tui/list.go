package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	rows []row           // newest first
	part bool            // there are more, not read yet
	wide [3]int          // the length of the longest name in each view
	who  map[string]bool // the names in lower case
	view int

	query string
	found map[string]int // the rank of each handoff whose text has the query; nil until that is known

	board  bool
	shown  [sectionCount][]int // indexes of rows
	at     [sectionCount]int   // the chosen one in each section
	top    [sectionCount]int   // the first card of each column on the screen
	turn   int                 // the section of the chosen one
	first  int                 // the first line of the list on the screen
	unread int                 // of the first view
}

// known formats numbers. It returns "" until all handoffs are read.
func (l *list) known(format string, numbers ...any) string {
	if l.part {
		return ""
	}
	return fmt.Sprintf(format, numbers...)
}

// set replaces the rows. The handoff with an id becomes the chosen one.
func (l *list) set(rows []row, id string) {
	l.rows, l.wide, l.unread, l.who = rows, [3]int{}, 0, make(map[string]bool)
	for i := range rows {
		r := &rows[i]
		l.who[strings.ToLower(r.From)], l.who[strings.ToLower(r.To)] = true, true
		for v := range views {
			if views[v].has(r, l.me) {
				l.wide[v] = max(l.wide[v], len(r.From), len(r.To))
			}
		}
		if views[0].has(r, l.me) && r.state == handoff.StateUnread {
			l.unread++
		}
	}
	l.choose(id)
}

// choose fills the sections, and chooses the handoff with an id if it is there. One that was just finished is not
// followed: the next one takes its place.
func (l *list) choose(id string) {
	was, has, isFound := l.turn, views[l.viewed()].has, l.matcher()
	for s := range l.shown {
		l.shown[s] = l.shown[s][:0]
	}
	for i := range l.rows {
		if r := &l.rows[i]; has(r, l.me) && isFound(r) {
			if s := l.sectionOf(r.state); s >= 0 {
				l.shown[s] = append(l.shown[s], i)
			}
		}
	}
	for s, shown := range l.shown {
		if l.found != nil {
			slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(l.rank(a), l.rank(b)) })
		}
		at := slices.IndexFunc(shown, func(i int) bool { return l.rows[i].ID == id })
		if at >= 0 && (was == s || l.rows[shown[at]].state != handoff.StateDone) {
			l.turn, l.at[s] = s, at
		}
	}
	for s, shown := range l.shown {
		l.at[s] = max(0, min(l.at[s], len(shown)-1))
	}
	for s := 0; s < sectionCount && len(l.shown[l.turn]) == 0; s++ {
		l.turn = s
	}
}

// viewed returns the view that is shown: a search is for all handoffs.
func (l *list) viewed() int {
	if l.query != "" {
		return len(views) - 1
	}
	return l.view
}

// size returns the number of shown handoffs, and the place of the chosen one among them.
func (l *list) size() (n, place int) {
	for s, shown := range l.shown {
		if s == l.turn {
			place = n + l.at[s]
		}
		n += len(shown)
	}
	return n, place
}

// move moves the choice: on the board in its column, in the list through all sections.
func (l *list) move(by int) {
	if l.board {
		l.at[l.turn] = max(0, min(l.at[l.turn]+by, len(l.shown[l.turn])-1))
		return
	}
	n, place := l.size()
	place = max(0, min(place+by, n-1))
	for s, shown := range l.shown {
		if place < len(shown) {
			l.turn, l.at[s] = s, place
			return
		}
		place -= len(shown)
	}
}

// lines returns the number of lines of the list, in which each section has a heading, and the line of the chosen one.
func (l *list) lines() (n, chosen int) {
	for s, shown := range l.shown {
		if len(shown) > 0 {
			n++
			if s == l.turn {
				chosen = n + l.at[s]
			}
			n += len(shown)
		}
	}
	return n, chosen
}

// scrollTo scrolls a list with room for some lines until the chosen one is on the screen, and the heading above it.
func (l *list) scrollTo(room int) {
	n, chosen := l.lines()
	last := chosen
	if l.at[l.turn] == 0 && room > 1 {
		last--
	}
	l.first = max(0, min(max(l.first, chosen-room+1), last, n-room))
}

// chosen returns the chosen row, or nil.
func (l *list) chosen() *row {
	if shown := l.shown[l.turn]; len(shown) > 0 {
		return &l.rows[shown[l.at[l.turn]]]
	}
	return nil
}

func (l *list) id() string {
	if r := l.chosen(); r != nil {
		return r.ID
	}
	return ""
}
