package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// listLines returns the visible lines of the list, or why it is empty.
func (m *model) listLines(at layout) (lines []string) {
	if len(m.shown) == 0 {
		return m.nothing()
	}
	first := top(m.lineOf(m.at), m.lineOf(len(m.shown)-1)+1, at.listHeight)
	for s := range sections {
		from, to := m.of(s)
		if from < to && m.lineOf(from)-1 >= first {
			lines = append(lines, " "+m.heading(s))
		}
		for i := max(from, m.at-at.listHeight); i < min(to, m.at+at.listHeight); i++ {
			if m.lineOf(i) >= first {
				lines = append(lines, m.rowLine(&m.rows[m.shown[i]], i == m.at, at.listWidth))
			}
		}
	}
	return lines[:min(len(lines), at.listHeight)]
}

// heading returns the name of a section, with its sign and how many handoffs it has.
func (m *model) heading(s int) string {
	sign, look := signOf(sections[s].states[0])
	return look.paint(sign+" "+sections[s].name) + m.count(s)
}

// count returns how many handoffs a section has, "" until all are read.
func (m *model) count(s int) string {
	if !m.loaded {
		return ""
	}
	from, to := m.of(s)
	return fmt.Sprintf(" %d", to-from)
}

const (
	ageFrom  = 48 // the minimum width of a line with an age
	bothFrom = 64 // the minimum width of a line with both names
)

// rowLine returns the line of a handoff: sign, title, people, age and id.
func (m *model) rowLine(r *row, chosen bool, width int) string {
	sign, look := signOf(r.state)
	right, people, wide := faint.paint(cli.Short(r.ID, cli.Shortest)), escape(r.From), min(m.wide+2, width/4)
	switch {
	case width >= bothFrom:
		people, wide = people+faint.paint(" → ")+escape(r.To), min(2*m.wide+3, width/3)
	case r.From == m.me:
		people = faint.paint("→ ") + escape(r.To)
	}
	if age, _ := m.age(r.Time); width >= ageFrom {
		right = fmt.Sprintf("%8s ", strings.TrimSuffix(age, " ago")) + right
	}
	people = pad(people, wide)
	room := width - len(" ● ") - ansi.StringWidthWc(people+right) - 2
	title := titleStyle(r)
	if chosen {
		title += ";" + reverse
	}
	return markOf(chosen) + look.paint(sign) + " " + title.paint(pad(m.titleOf(r), room)) + " " + people + " " + right
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
	text := [2]string{"You have sent no handoffs yet.", "n writes one."}
	switch {
	case !m.loaded:
		return nil
	case m.query != "":
		text = [2]string{"Nothing matches " + m.query + ".", "esc shows all."}
	case len(m.rows) == 0:
		text = [2]string{"There are no handoffs yet.", "n writes the first; s receives those of others."}
	case m.view == 0:
		text = [2]string{"Nothing waits for " + m.me + ".", "tab shows Sent and All."}
	}
	return []string{"", " " + escape(text[0]), " " + faint.paint(text[1])}
}

// age returns how long ago a time was, and the local time.
func (m *model) age(ts string) (age, when string) {
	at, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return "?", escape(ts)
	}
	return handoff.Ago(at, m.now()), at.In(m.now().Location()).Format("Mon 2 Jan 2006 15:04")
}
