package tui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// escape escapes text for one line of the terminal.
func escape(text string) string { return handoff.EscapeLine(text) }

// cut shortens styled text to width columns.
func (m *model) cut(text string, width int) string {
	return m.measure.Truncate(text, max(0, width), "…")
}

// pad returns styled text in exactly width columns.
func (m *model) pad(text string, width int) string {
	text = m.cut(text, width)
	return text + strings.Repeat(" ", max(0, width-m.measure.StringWidth(text)))
}

// listLines returns the visible lines of the list, or why it is empty.
func (m *model) listLines(at layout) []string {
	if len(m.shown) == 0 {
		return m.nothing(at)
	}
	var lines []string
	for i := m.list.top; i < min(m.list.top+at.rows(), len(m.shown)); i++ {
		lines = append(lines, m.rowLine(&m.rows[m.shown[i]], i == m.list.at, at.listWidth))
	}
	return lines
}

const (
	ageWidth   = 10
	stateWidth = 11
	wholeFrom  = 56 // the minimum width of a line with age and state
)

// rows returns how many handoffs the list shows, at least one.
func (at layout) rows() int { return max(1, at.listHeight) }

// rowLine returns the line of a handoff.
func (m *model) rowLine(r *row, chosen bool, width int) string {
	look := lookOf(r.state)
	right, most := "", width/2
	if width >= wholeFrom {
		right, most = fmt.Sprintf(" %*s ", ageWidth, m.age(r.Time))+
			look.style.Render(fmt.Sprintf("%-*s", stateWidth, r.state)), width/3
	}
	need := []int{len("from "), len("to "), len(" > ") + m.names[2]}[m.view] + m.names[m.view]
	people := m.pad(m.people(r), min(need, most))
	room := width - 3 - m.measure.StringWidth(people) - m.measure.StringWidth(right) - 1
	return markOf(chosen) + look.style.Render(look.sign) + " " +
		titleStyle(r, chosen).Render(m.pad(m.titleOf(r), room)) + " " + people + right
}

// markOf returns the mark at the left of a line.
func markOf(chosen bool) string {
	if chosen {
		return accent.Render("▌")
	}
	return " "
}

func titleStyle(r *row, chosen bool) lipgloss.Style {
	style := none
	if isUnread(r) {
		style = bold
	}
	return style.Reverse(chosen)
}

// people returns sender and recipient, without the user of the view.
func (m *model) people(r *row) string {
	switch m.view {
	case 0:
		return faint.Render("from ") + escape(r.From)
	case 1:
		return faint.Render("to ") + escape(r.To)
	}
	return escape(r.From) + faint.Render(" → ") + escape(r.To)
}

// stateOf returns the state of a row in words.
func stateOf(r *row) string {
	words := string(r.state)
	if r.taker != "" {
		words += " by " + escape(r.taker)
	}
	return lookOf(r.state).style.Render(words)
}

// nothing returns why the list is empty, and what to do, once all handoffs are read.
func (m *model) nothing(at layout) []string {
	var text []string
	switch {
	case m.part:
		return nil
	case m.filter != "":
		text = []string{"Nothing here matches " + m.filter + ".", "esc shows all."}
	case m.found != nil:
		text = []string{"Nothing here is " + m.what + ".", "esc shows all."}
	case len(m.rows) == 0:
		text = []string{"There are no handoffs yet.", "n writes the first; s receives those of others."}
	case m.view == 0:
		text = []string{"Nothing waits for " + m.me + ".", "tab shows Sent and All."}
	default:
		text = []string{"You have sent no handoffs yet.", "Write one: handoff new --to NAME"}
	}
	lines := make([]string, max(0, at.listHeight/3-1))
	for i, line := range text {
		line = escape(line)
		line = strings.Repeat(" ", max(0, (at.listWidth-m.measure.StringWidth(line))/2)) + line
		if i > 0 {
			line = faint.Render(line)
		}
		lines = append(lines, line)
	}
	return lines
}

// age returns how long ago a time was, or the date of a time in the future.
func (m *model) age(ts string) string {
	at, err := time.Parse(time.RFC3339Nano, ts)
	switch {
	case err != nil:
		return "?"
	case at.After(m.now().Add(time.Minute)):
		return at.Format(time.DateOnly)
	}
	return handoff.Ago(at, m.now())
}
