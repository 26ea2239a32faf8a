package inbox

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

	shown  []int // indexes of rows
	at     int   // the chosen one of shown
	top    int   // the first one of shown on the screen
	height int   // its number of lines on the screen

	board
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
	l.shown = l.shown[:0]
	match := matcher(l.filter)
	for i := range l.rows {
		if r := &l.rows[i]; views[l.view].has(r, l.me) && l.isFound(r) && match(r) {
			l.shown = append(l.shown, i)
		}
	}
	l.deal(match)
	if l.found != nil {
		slices.SortStableFunc(l.shown, func(a, b int) int { return l.found[l.rows[a].ID] - l.found[l.rows[b].ID] })
	}
	if at := slices.IndexFunc(l.shown, func(i int) bool { return l.rows[i].ID == id }); at >= 0 {
		l.at = at
	}
	l.move(0)
}

func (l *list) isFound(r *row) bool {
	_, found := l.found[r.ID]
	return found || l.found == nil
}

// narrow applies a filter that extends the one before.
func (l *list) narrow(filter string) {
	id := l.id()
	if !strings.HasPrefix(filter, l.filter) || strings.Contains(filter[len(l.filter):], ":") {
		l.filter = filter
		l.choose(id)
		return
	}
	l.filter = filter
	match := matcher(filter)
	l.deal(match)
	l.shown = slices.DeleteFunc(l.shown, func(i int) bool { return !match(&l.rows[i]) })
	l.at = max(0, slices.IndexFunc(l.shown, func(i int) bool { return l.rows[i].ID == id }))
	l.move(0)
}

// move moves the choice by some lines.
func (l *list) move(by int) {
	l.at = max(0, min(l.at+by, len(l.shown)-1))
	l.top = max(0, min(l.top, l.at, len(l.shown)-l.height))
	l.top = max(l.top, l.at-l.height+1)
}

// chosen returns the chosen row, or nil.
func (l *list) chosen() *row {
	if col := &l.columns[l.turn]; l.on && col.at < len(col.shown) {
		return &l.rows[col.shown[col.at]]
	} else if l.on {
		return nil
	}
	if l.at >= len(l.shown) {
		return nil
	}
	return &l.rows[l.shown[l.at]]
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
	return strings.Contains(strings.ToLower(r.Topic), word) || strings.Contains(strings.ToLower(r.From), word) ||
		strings.Contains(strings.ToLower(r.To), word) || strings.HasPrefix(r.ID, word) ||
		strings.HasPrefix(r.ID[len("sha256:"):], word)
}
