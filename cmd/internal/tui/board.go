package tui

import (
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

// sideways goes to another column, to the next one with cards.
func (m *model) sideways(by int) tea.Cmd {
	for turn := m.turn + by; turn >= 0 && turn < sectionCount; turn += by {
		if len(m.shown[turn]) > 0 || m.width < cardsFrom {
			m.turn = turn
			break
		}
	}
	return nil
}

// boardLines returns the lines of the board.
func (m *model) boardLines(height int) []string {
	if m.width < cardsFrom {
		return m.oneColumn(height)
	}
	detail := m.cardDetail()
	room := height - len(detail) - 3
	width := m.width / sectionCount
	lines := []string{"", ""}
	cells := make([][]string, sectionCount)
	for s := range sections {
		_, look := signOf(sections[s].states[0])
		line := look.paint(strings.Repeat("━", width-2))
		lines[0] += " " + m.pad(m.heading(s), width-1)
		lines[1] += " " + m.pad(line, width-1)
		cells[s] = m.cards(s, width-2, room)
	}
	for i := range room {
		text := ""
		for s := range cells {
			text += m.pad(line(cells[s], i), width)
		}
		lines = append(lines, text)
	}
	lines = append(lines, faint.paint(strings.Repeat("─", m.width)))
	return append(lines, detail...)
}

// oneColumn is the board where there is room for one column.
func (m *model) oneColumn(height int) []string {
	head := ""
	for s := range sections {
		if s == m.turn {
			head += " ‹ " + m.heading(s) + " › "
			continue
		}
		sign, look := signOf(sections[s].states[0])
		head += " " + look.paint(sign) + m.known(" %d", len(m.shown[s])) + " "
	}
	return append([]string{head}, m.cards(m.turn, m.width-1, height-1)...)
}

// cards returns the lines of the cards of a column that fit.
func (m *model) cards(s, width, room int) (lines []string) {
	shown, chosen := m.shown[s], m.at[s]
	if len(shown) == 0 {
		for _, text := range wrapped(sections[s].empty, width) {
			lines = append(lines, faint.paint(" "+text))
		}
		return lines
	}
	fit := room / m.cardHeight()
	if len(shown) > fit {
		fit = (room - 1) / m.cardHeight()
	}
	fit = max(1, fit)
	m.top[s] = max(0, min(max(m.top[s], chosen-fit+1), chosen, len(shown)-fit))
	end := min(m.top[s]+fit, len(shown))
	for i := m.top[s]; i < end; i++ {
		lines = append(lines, m.card(&m.rows[shown[i]], width, m.turn == s && i == chosen)...)
	}
	if left := len(shown) - end; left > 0 {
		lines = append(lines, faint.paint(m.known(" ↓ %d more", left)))
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
	mark, style := markOf(chosen), titleStyle(r)
	title, people, second := m.titleOf(r), escape(r.From)+" → "+escape(r.To), ""
	if m.width >= cardsFrom {
		title, second, _ = strings.Cut(ansi.Wrap(title, width, " "), "\n")
	}
	right := strings.TrimSuffix(m.age(r.Time), " ago")
	if width >= idFrom {
		right += "  " + cli.Short(r.ID, cli.Shortest)
	}
	lines := []string{mark + style.paint(m.cut(title, width))}
	if second != "" {
		lines = append(lines, mark+style.paint(m.cut(strings.ReplaceAll(second, "\n", " "), width)))
	}
	lines = append(lines, mark+faint.paint(m.pad(people, width-len(right)-1)+" "+right), "", "")
	return lines[:m.cardHeight()]
}

// cardDetail returns what the board says of the chosen handoff below its columns.
func (m *model) cardDetail() []string {
	r := m.chosen()
	if r == nil {
		return nil
	}
	sign, look := signOf(r.state)
	about := escape(r.From) + " → " + escape(r.To) + " · " + m.age(r.Time) + " · " + cli.Short(r.ID, cli.Shortest)
	return []string{" " + look.paint(sign) + " " + m.titleOf(r), "   " + faint.paint(about+" · ") + m.stateOf(r)}
}

// titlesMsg has the titles of handoffs by id.
type titlesMsg map[string]string

// wantTitles returns the command that reads the titles of what is on the screen, nil if they are known.
func (m *model) wantTitles() tea.Cmd {
	var need []handoff.Entry
	want := func(shown []int, top, n int) {
		for _, i := range shown[min(top, len(shown)):min(top+n, len(shown))] {
			if _, asked := m.titles[m.rows[i].ID]; !asked {
				m.titles[m.rows[i].ID] = ""
				need = append(need, m.rows[i].Entry)
			}
		}
	}
	from := m.first // an upper bound for the first row of a section: headings are lines too
	for s, shown := range m.shown {
		top := max(0, from-s-1)
		if from -= len(shown); m.board {
			top = m.top[s]
		}
		want(shown, top, m.height+sectionCount)
	}
	if len(need) == 0 {
		return nil
	}
	s := m.store
	return func() tea.Msg {
		titles := make(titlesMsg, len(need))
		for _, l := range s.Listed(need) {
			titles[l.ID] = l.Title
		}
		return titles
	}
}

// titleOf returns the title of a handoff, its topic until the title is read.
func (m *model) titleOf(r *row) string {
	if title := m.titles[r.ID]; title != "" {
		return escape(title)
	}
	return escape(r.Topic)
}
