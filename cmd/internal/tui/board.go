package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

const (
	cardsFrom = 60 // columns from which the board shows all its columns
	idFrom    = 36 // columns from which a card has its id
)

// toggleBoard shows the board in place of the list, or the list again.
func (m *model) toggleBoard() tea.Cmd {
	m.open_, m.board = false, !m.board
	return nil
}

// sideways goes to another column that has cards.
func (m *model) sideways(by int) tea.Cmd {
	for s := m.turn() + by; s >= 0 && s < sectionCount && !m.open_; s += by {
		if from, to := m.of(s); from < to {
			m.at = from
			break
		}
	}
	return nil
}

// boardLines returns the lines of the board, and what it says of the chosen handoff below.
func (m *model) boardLines(height int) (lines []string) {
	width, about := m.width/sectionCount, m.header(m.width-2)
	if m.width < cardsFrom { // one column
		for s := range sections {
			sign, look := signOf(sections[s].states[0])
			if s != m.turn() {
				lines = append(lines, look.paint(sign)+m.count(s))
			} else {
				lines = append(lines, "‹ "+m.heading(s)+" ›")
			}
		}
		return append([]string{" " + strings.Join(lines, "  ")}, m.cards(m.turn(), m.width-1, height-1)...)
	}
	about = append([]string{faint.paint(strings.Repeat("─", m.width))}, about[:min(len(about), 3)]...)
	lines = make([]string, max(2, height-len(about)))
	for s := range sections {
		_, look := signOf(sections[s].states[0])
		column := append([]string{" " + m.heading(s), " " + look.paint(strings.Repeat("━", width-2))},
			m.cards(s, width-2, len(lines)-2)...)
		for i := range lines {
			lines[i] += pad(line(column, i), width)
		}
	}
	for i, text := range about[1:] {
		about[i+1] = " " + text
	}
	return append(lines, about...)
}

// cards returns the lines of the cards of a column that fit.
func (m *model) cards(s, width, room int) (lines []string) {
	from, to := m.of(s)
	if from == to {
		return wrapped(faint.paint(" "+sections[s].empty), width)
	}
	fit := max(1, (room-1)/m.cardHeight())
	first := from
	if s == m.turn() {
		first += top(m.at-from, to-from, fit)
	}
	end := min(first+fit, to)
	for i := first; i < end; i++ {
		lines = append(lines, m.card(&m.rows[m.shown[i]], width, i == m.at)...)
	}
	if end < to {
		lines = append(lines, faint.paint(fmt.Sprintf(" ↓ %d more", to-end)))
	}
	return lines
}

// cardHeight returns the number of lines of a card. Without columns there is room for one line of a title.
func (m *model) cardHeight() int {
	if m.width < cardsFrom {
		return 2
	}
	return 4
}

// card returns the lines of a card: the title, the people, age and id, and what is empty of its height.
func (m *model) card(r *row, width int, chosen bool) []string {
	mark := markOf(chosen)
	age, _ := m.age(r.Time)
	if age = strings.TrimSuffix(age, " ago"); width >= idFrom {
		age += "  " + cli.Short(r.ID, cli.Shortest)
	}
	title := []string{m.titleOf(r)}
	if m.width >= cardsFrom {
		title = strings.SplitN(ansi.WrapWc(title[0], width, " "), "\n", 2)
	}
	var lines []string
	for _, text := range title {
		lines = append(lines, mark+titleStyle(r).paint(cut(strings.ReplaceAll(text, "\n", " "), width)))
	}
	people := pad(escape(r.From)+" → "+escape(r.To), width-len(age)-1)
	return append(lines, mark+faint.paint(people+" "+age), "", "")[:m.cardHeight()]
}

// titlesMsg has the titles of handoffs by id.
type titlesMsg map[string]string

// titleOf returns the title of a handoff, its topic until the title is read.
func (m *model) titleOf(r *row) string {
	title, asked := m.titles[r.ID]
	if !asked {
		m.untitled[r.ID] = *r.Entry
	}
	if title == "" {
		title = r.Topic
	}
	return escape(title)
}

// wantTitles returns the command that reads the titles that the screen lacks, nil if it lacks none.
func (m *model) wantTitles() tea.Cmd {
	m.View()
	if len(m.untitled) == 0 {
		return nil
	}
	var need []handoff.Entry
	for id, e := range m.untitled {
		m.titles[id], need = "", append(need, e)
	}
	clear(m.untitled)
	s := m.store
	return func() tea.Msg {
		titles := make(titlesMsg, len(need))
		for _, l := range s.Listed(need) {
			titles[l.ID] = l.Title
		}
		return titles
	}
}
