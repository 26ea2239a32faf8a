package inbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A view is a part of all handoffs.
type view struct {
	name string
	has  func(r *row, me string) bool
}

// views are gone through with tab. Without a known operator there is only the last.
var views = []view{
	{"Inbox", func(r *row, me string) bool { return r.To == me && !r.state.IsOver() }},
	{"Sent", func(r *row, me string) bool { return r.From == me }},
	{"All", func(*row, string) bool { return true }},
}

// A list is the handoffs of a store, and those of them that are shown.
type list struct {
	me     string
	rows   []row // newest first
	part   bool  // there are others, which were not read: how many is not known
	view   int
	counts [3]int // of each view
	names  [3]int // how long the longest name in each view is
	unread int    // of the first view

	filter string
	found  map[string]int // ids to which the list is narrowed, and their order; nil if it is not
	what   string         // they are

	shown  []int // indexes of rows
	at     int   // which of shown is chosen
	top    int   // which of shown is the first on the screen
	height int   // lines of it on the screen
}

// known is what numbers say, nothing as long as they are not those of all handoffs.
func (l *list) known(format string, numbers ...any) string {
	if l.part {
		return ""
	}
	return fmt.Sprintf(format, numbers...)
}

// set takes new rows. What is chosen stays chosen.
func (l *list) set(rows []row) {
	chosen := l.id()
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

// choose makes the list of what is shown anew, and chooses the handoff of an id if it is there.
func (l *list) choose(id string) {
	l.shown = l.shown[:0]
	match := matcher(l.filter)
	for i := range l.rows {
		if r := &l.rows[i]; views[l.view].has(r, l.me) && l.isFound(r) && match(r) {
			l.shown = append(l.shown, i)
		}
	}
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

// narrow filters by more text than before.
func (l *list) narrow(filter string) {
	id := l.id()
	if !strings.HasPrefix(filter, l.filter) || strings.Contains(filter[len(l.filter):], ":") {
		l.filter = filter
		l.choose(id)
		return
	}
	l.filter = filter
	match := matcher(filter)
	l.shown = slices.DeleteFunc(l.shown, func(i int) bool { return !match(&l.rows[i]) })
	l.at = max(0, slices.IndexFunc(l.shown, func(i int) bool { return l.rows[i].ID == id }))
	l.move(0)
}

// move chooses another one, by so many lines.
func (l *list) move(by int) {
	l.at = max(0, min(l.at+by, len(l.shown)-1))
	l.top = max(0, min(l.top, l.at, len(l.shown)-l.height))
	l.top = max(l.top, l.at-l.height+1)
}

// chosen returns the row that is chosen, nil if there is none.
func (l *list) chosen() *row {
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

// matcher returns what a filter asks of a row: every word occurs in topic, from or to, or begins the id; from:, to: and is:
// ask for the beginning of one of them and of the state.
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
		strings.Contains(strings.ToLower(r.To), word) || strings.HasPrefix(r.ID, word) || strings.HasPrefix(r.ID[len("sha256:"):], word)
}
