package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A board shows all handoffs in columns by state.
type board struct {
	on      bool
	turn    int // the column that is chosen
	columns [3]column
}

// columns are the kinds of columns, from left to right.
var columns = []struct {
	name  string
	has   []handoff.State // the first has the look of the column
	empty string
}{
	{"Unread", []handoff.State{handoff.StateUnread}, "Nothing waits for anybody."},
	{"Taken", []handoff.State{handoff.StateTaken}, "Nobody works on one."},
	{"Done", []handoff.State{handoff.StateDone, handoff.StateRead}, "Finished work will be here."},
}

const (
	cardsFrom = 60  // columns from which the board shows all its columns
	namesFrom = 100 // columns from which cards have whole names
)

// deal puts the rows that match into their columns.
func (l *list) deal(match func(*row) bool) {
	for c := range columns {
		l.fill(&l.columns[c], func(r *row) bool { return slices.Contains(columns[c].has, r.state) && match(r) })
	}
}

// chooseCard chooses the card of a handoff, if the board has one.
func (l *list) chooseCard(id string) {
	for c := range l.columns {
		if at := l.find(&l.columns[c], id); at >= 0 {
			l.turn, l.columns[c].at = c, at
			return
		}
	}
}

// toggleBoard shows the board in place of the list, or the list again. The chosen handoff stays chosen.
func (m *model) toggleBoard() tea.Cmd {
	id := m.id()
	m.open_, m.on = false, !m.on
	if m.choose(id); m.on {
		m.chooseCard(id)
	}
	return nil
}

// sideways goes to another column, to the next one with cards.
func (m *model) sideways(by int) tea.Cmd {
	for turn := m.turn + by; turn >= 0 && turn < len(m.columns); turn += by {
		if len(m.columns[turn].shown) > 0 || m.width < cardsFrom {
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
	width := m.width / len(columns)
	lines := []string{"", ""}
	cells := make([][]string, len(columns))
	for c, kind := range columns {
		look := lookOf(kind.has[0])
		head := look.style.Render(look.sign+" "+kind.name) + m.known(" %d", len(m.columns[c].shown))
		lines[0] += " " + m.pad(head, width-1)
		lines[1] += " " + m.pad(look.style.Render(strings.Repeat("━", width-2)), width-1)
		cells[c] = m.cards(c, width-2, room)
	}
	for i := range room {
		text := ""
		for c := range cells {
			text += m.pad(line(cells[c], i), width)
		}
		lines = append(lines, text)
	}
	lines = append(lines, faint.Render(strings.Repeat("─", m.width)))
	return append(lines, detail...)
}

// oneColumn is the board where there is room for one column.
func (m *model) oneColumn(height int) []string {
	head := ""
	for c, kind := range columns {
		look, number, name, before, after := lookOf(kind.has[0]), m.known(" %d", len(m.columns[c].shown)), "", " ", " "
		if c == m.turn {
			name, before, after = " "+kind.name, " ‹ ", " › "
		}
		head += before + look.style.Render(look.sign+name) + number + after
	}
	return append([]string{head}, m.cards(m.turn, m.width-1, height-1)...)
}

// cards returns the lines of the cards of a column that fit.
func (m *model) cards(c, width, room int) (lines []string) {
	col := &m.columns[c]
	if len(col.shown) == 0 {
		for _, text := range wrapped(columns[c].empty, width) {
			lines = append(lines, faint.Render(" "+text))
		}
		return lines
	}
	height := m.cardHeight()
	fit := room / height
	if len(col.shown) > fit {
		fit = (room - 1) / height
	}
	col.scrollTo(max(1, fit))
	end := min(col.top+max(1, fit), len(col.shown))
	for i := col.top; i < end; i++ {
		lines = append(lines, m.card(&m.rows[col.shown[i]], width, m.turn == c && i == col.at)...)
	}
	if left := len(col.shown) - end; left > 0 {
		lines = append(lines, faint.Render(m.known(" ↓ %d more", left)))
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

// card returns the lines of a card: the title, the people and the age, and what is empty of its height.
func (m *model) card(r *row, width int, chosen bool) []string {
	mark, style := markOf(chosen), none.Bold(chosen || isUnread(r))
	title, people, second := m.titleOf(r), escape(r.From)+" → "+escape(r.To), ""
	if m.width >= cardsFrom {
		title, second, _ = strings.Cut(lipgloss.Wrap(title, width, " "), "\n")
	}
	age := strings.TrimSuffix(m.age(r.Time), " ago")
	lines := []string{mark + style.Render(m.cut(title, width))}
	if second != "" {
		lines = append(lines, mark+style.Render(m.cut(strings.ReplaceAll(second, "\n", " "), width)))
	}
	lines = append(lines, mark+faint.Render(m.pad(people, width-len(age)-1)+" "+age), "", "")
	return lines[:m.cardHeight()]
}

// wrapped returns text in lines of at most width columns.
func wrapped(text string, width int) []string {
	return strings.Split(lipgloss.Wrap(text, max(1, width), " "), "\n")
}

// cardDetail returns what the board says of the chosen handoff below its columns.
func (m *model) cardDetail() []string {
	r := m.chosen()
	if r == nil {
		return []string{""}
	}
	look := lookOf(r.state)
	title := " " + look.style.Render(look.sign) + " " + m.titleOf(r)
	about := escape(r.From) + " → " + escape(r.To) + " · " + m.age(r.Time) + " · " + cli.Short(r.ID, cli.Shortest) +
		" · " + stateOf(r)
	if m.width < namesFrom {
		return []string{m.cut(title, m.width), faint.Render(m.cut("   "+about, m.width))}
	}
	room := m.width - m.measure.StringWidth(about) - 3
	return []string{m.pad(title, room) + "  " + faint.Render(about)}
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
	if m.on {
		for c := range m.columns {
			want(m.columns[c].shown, m.columns[c].top, m.height)
		}
	} else {
		want(m.shown, m.list.top, m.height)
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
