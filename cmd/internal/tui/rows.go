package tui

import (
	"fmt"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// listLines returns the visible lines of the list, or why it is empty.
func (m *model) listLines(at layout) (lines []string) {
	n, _ := m.lines()
	if n == 0 {
		return m.nothing()
	}
	line := 0
	add := func(text func() string) {
		if line >= m.first && line < m.first+at.rows() {
			lines = append(lines, text())
		}
		line++
	}
	for s, shown := range m.shown {
		if len(shown) == 0 {
			continue
		}
		add(func() string { return " " + m.heading(s) })
		from := max(0, min(m.first-line, len(shown)))
		line += from
		for i, r := range shown[from:min(len(shown), from+at.rows())] {
			add(func() string { return m.rowLine(&m.rows[r], s == m.turn && from+i == m.at[s], at.listWidth) })
		}
		line += max(0, len(shown)-from-at.rows())
	}
	return lines
}

// heading returns the name of a section, with its sign and how many handoffs it has.
func (m *model) heading(s int) string {
	sign, look := signOf(sections[s].states[0])
	return look.paint(sign+" "+sections[s].name) + m.known(" %d", len(m.shown[s]))
}

const (
	ageWidth  = 11
	wholeFrom = 56 // the minimum width of a line with age and words
)

// rows returns how many lines the list has, at least one.
func (at layout) rows() int { return max(1, at.listHeight) }

// rowLine returns the line of a handoff: sign, title, people, age and id.
func (m *model) rowLine(r *row, chosen bool, width int) string {
	sign, look := signOf(r.state)
	right, most, words := faint.paint(cli.Short(r.ID, cli.Shortest)), width/4, width >= wholeFrom
	if words {
		right, most = fmt.Sprintf("%*s ", ageWidth, m.age(r.Time))+right, width/3
	}
	people, need := m.people(r, words)
	people = m.pad(people, min(need, most))
	room := width - len(" ● ") - m.measure.StringWidth(people) - m.measure.StringWidth(right) - 2
	title := titleStyle(r)
	if chosen {
		title += ";" + reverse
	}
	return markOf(chosen) + look.paint(sign) + " " + title.paint(m.pad(m.titleOf(r), room)) + " " + people + " " + right
}

// titleStyle returns the style of a title.
func titleStyle(r *row) style {
	if r.state == handoff.StateUnread {
		return bold
	}
	return "0"
}

// markOf returns the mark at the left of a line.
func markOf(chosen bool) string {
	if chosen {
		return accent.paint("▌")
	}
	return " "
}

// people returns sender and recipient, without the user of the view, and the width of the longest in the view.
func (m *model) people(r *row, words bool) (text string, width int) {
	view := m.viewed()
	name, word := r.From, "from "
	switch view {
	case 1:
		name, word = r.To, "to "
	case 2:
		return escape(r.From) + faint.paint(" → ") + escape(r.To), 2*m.wide[view] + len(" > ")
	}
	if !words {
		word = ""
	}
	return faint.paint(word) + escape(name), m.wide[view] + len(word)
}

// stateOf returns the state of a row in words, with its holder.
func (m *model) stateOf(r *row) string {
	words := string(r.state)
	if r.taker != "" {
		words += " by " + escape(r.taker)
		if end, err := time.Parse(time.RFC3339Nano, r.Life().Take.Until); err == nil && end.After(m.now()) {
			words += ", " + handoff.Rough(end.Sub(m.now())) + " left"
		}
	}
	_, look := signOf(r.state)
	return look.paint(words)
}

// nothing returns why the list is empty, and what to do, once all handoffs are read.
func (m *model) nothing() []string {
	var text []string
	switch {
	case m.part:
		return nil
	case m.query != "":
		text = []string{"Nothing matches " + m.query + ".", "esc shows all."}
	case len(m.rows) == 0:
		text = []string{"There are no handoffs yet.", "n writes the first; s receives those of others."}
	case m.view == 0:
		text = []string{"Nothing waits for " + m.me + ".", "tab shows Sent and All."}
	default:
		text = []string{"You have sent no handoffs yet.", "n writes one."}
	}
	return []string{"", " " + escape(text[0]), " " + faint.paint(escape(text[1]))}
}

// age returns how long ago a time was.
func (m *model) age(ts string) string {
	at, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return "?"
	}
	return handoff.Ago(at, m.now())
}
