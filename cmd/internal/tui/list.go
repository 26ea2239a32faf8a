package tui

import (
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
	{"Inbox", func(r *row, me string) bool { return r.IsTo(me) && !r.state.IsClosed() }},
	{"Sent", func(r *row, me string) bool { return r.From == me }},
	{"All", func(*row, string) bool { return true }},
}

// A list holds the handoffs of a store, and the selection that is shown.
type list struct {
	me     string
	rows   []row // newest first
	part   bool  // there are more, not read yet
	view   int
	counts [3]int // of each view
	names  [3]int // the length of the longest name in each view
	unread int    // of the first view

	filter string
	found  map[string]int // the rank of each found id; nil without a search
	what   string         // describes the found handoffs

	height int // the number of handoffs that the screen has room for
	column     // those in the list
	board
}

// A column has handoffs below each other: the list, or the cards of the board in some states.
type column struct {
	shown []int // indexes of rows, newest first
	at    int   // the chosen one of shown
	top   int   // the first one of shown on the screen
}

func (c *column) move(by int) {
	c.at = max(0, min(c.at+by, len(c.shown)-1))
	c.top = max(0, min(c.top, c.at))
}

// scrollTo moves a column with room for some handoffs, until the chosen one is on the screen.
func (c *column) scrollTo(room int) {
	c.move(0)
	c.top = max(min(c.top, max(0, len(c.shown)-room)), c.at-room+1)
}

// fill puts the rows into a column that it has, and that are found.
func (l *list) fill(c *column, has func(r *row) bool) {
	c.shown = c.shown[:0]
	for i := range l.rows {
		if r := &l.rows[i]; has(r) && l.isFound(r) {
			c.shown = append(c.shown, i)
		}
	}
	c.move(0)
}

// find returns the place of a handoff in a column, or -1.
func (l *list) find(c *column, id string) int {
	return slices.IndexFunc(c.shown, func(i int) bool { return l.rows[i].ID == id })
}

// known formats numbers. It returns "" until all handoffs are read.
func (l *list) known(format string, numbers ...any) string {
	if l.part {
		return ""
	}
	return fmt.Sprintf(format, numbers...)
}

// set replaces the rows. The chosen one stays chosen.
func (l *list) set(rows []row) {
	chosen := l.id()
	defer func() { l.chooseCard(chosen) }()
	l.rows, l.counts, l.names, l.unread = rows, [3]int{}, [3]int{}, 0
	for i := range rows {
		r := &rows[i]
		for v := range views {
			if views[v].has(r, l.me) {
				l.counts[v]++
				l.names[v] = max(l.names[v], len(r.From), len(r.To))
			}
		}
		if views[0].has(r, l.me) && isUnread(r) {
			l.unread++
		}
	}
	l.choose(chosen)
}

func isUnread(r *row) bool { return r.state == handoff.StateUnread }

// choose builds the list again, and chooses the handoff with an id if it is there.
func (l *list) choose(id string) {
	match := matcher(l.filter)
	l.fill(&l.column, func(r *row) bool { return views[l.view].has(r, l.me) && match(r) })
	l.deal(match)
	if l.found != nil {
		slices.SortStableFunc(l.shown, func(a, b int) int { return l.found[l.rows[a].ID] - l.found[l.rows[b].ID] })
	}
	if at := l.find(&l.column, id); at >= 0 {
		l.at = at
	}
	l.scrollTo(l.height)
}

func (l *list) isFound(r *row) bool {
	_, found := l.found[r.ID]
	return found || l.found == nil
}

// narrow applies a filter. If the chosen handoff does not match, the first one is chosen.
func (l *list) narrow(filter string) {
	id := l.id()
	l.filter, l.at = filter, 0
	l.choose(id)
}

// turned returns the column of the board that is chosen, otherwise the list.
func (l *list) turned() *column {
	if l.on {
		return &l.columns[l.turn]
	}
	return &l.column
}

// size returns how many handoffs the list or the board shows, and of how many.
func (l *list) size() (shown, of int) {
	if !l.on {
		return len(l.shown), l.counts[l.view]
	}
	for _, c := range l.columns {
		shown += len(c.shown)
	}
	return shown, len(l.rows)
}

// chosen returns the chosen row, or nil.
func (l *list) chosen() *row {
	if c := l.turned(); c.at < len(c.shown) {
		return &l.rows[c.shown[c.at]]
	}
	return nil
}

func (l *list) id() string {
	if r := l.chosen(); r != nil {
		return r.ID
	}
	return ""
}

// matcher returns the condition of a filter. Each word must occur in topic, from or to, or begin the id. Words
// with from:, to: and is: match the beginning of these values and of the state.
func matcher(filter string) func(*row) bool {
	words := strings.Fields(strings.ToLower(filter))
	return func(r *row) bool {
		for _, word := range words {
			if !r.matches(word) {
				return false
			}
		}
		return true
	}
}

func (r *row) matches(word string) bool {
	key, value, _ := strings.Cut(word, ":")
	switch {
	case len(key) == len(word):
	case key == "from":
		return strings.HasPrefix(strings.ToLower(r.From), value)
	case key == "to":
		return strings.HasPrefix(strings.ToLower(r.To), value)
	case key == "is":
		return strings.HasPrefix(string(r.state), value)
	}
	return strings.Contains(strings.ToLower(r.Topic+" "+r.From+" "+r.To), word) || strings.HasPrefix(r.ID, word) ||
		strings.HasPrefix(r.ID[len("sha256:"):], word)
}
