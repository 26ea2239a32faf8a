package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/site"
)

// A style is the SGR parameters of text: attributes, and the terminal's 16 colors, which suit its background.
type style string

const (
	bold    style = "1"
	faint   style = "2"
	accent  style = "1;34"
	wrong   style = "31"
	reverse style = "7"
)

// paint returns text in a style. The text has no style of its own.
func (s style) paint(text string) string {
	if s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[m"
}

// signOf returns the sign of a state and its style.
func signOf(state handoff.State) (string, style) {
	look := site.LookOf(string(state))
	return look.Sign, style(look.SGR)
}

// A layout divides the screen. A hidden part has no lines.
type layout struct {
	listWidth, listHeight       int
	previewWidth, previewHeight int
}

const (
	frame     = 3   // lines of title, rule and hints
	sideFrom  = 110 // the minimum width for list and preview side by side
	sizeNamed = 60  // the minimum width for the program's name in the title
	stackFrom = 16  // the minimum height for list above preview
)

func (m *model) layout() layout {
	body := max(0, m.height-frame)
	at := layout{m.width, body, max(1, m.width-2), 0}
	switch {
	case m.open_:
		at.listHeight, at.previewHeight = 0, body
	case len(m.shown) == 0:
	case m.width >= sideFrom:
		at.listWidth = m.width * 45 / 100
		at.previewWidth, at.previewHeight = m.width-at.listWidth-3, body
	case m.height >= stackFrom:
		at.listHeight = max(4, min(body*2/5, m.lineOf(len(m.shown)-1)+1))
		at.previewHeight = body - at.listHeight - 1
	}
	return at
}

func (m *model) View() tea.View {
	lines := []string{m.title(), faint.paint(strings.Repeat("─", m.width))}
	switch {
	case m.helping:
		lines = append(lines, m.help()...)
	case m.board && !m.open_:
		lines = append(lines, m.boardLines(m.height-frame)...)
	default:
		lines = append(lines, m.body()...)
	}
	foot := m.foot()
	room := max(0, m.height-len(foot))
	lines = append(lines, make([]string, room)...)
	lines = append(lines[:room], foot...)
	for i, line := range lines {
		lines[i] = cut(line, m.width)
	}
	view := tea.NewView(strings.Join(lines, "\n"))
	view.AltScreen = true
	if m.typing {
		view.Cursor = tea.NewCursor(min(ansi.StringWidthWc(m.queryLine()), max(0, m.width-1)), max(0, m.height-1))
	}
	return view
}

// title returns the line with views, operator and project.
func (m *model) title() string {
	left := " "
	if m.width >= sizeNamed {
		left += bold.paint("handoff") + "  "
	}
	add := func(name string, chosen bool) {
		look := faint
		if chosen {
			look = reverse
		}
		left += look.paint(" "+name+" ") + " "
	}
	for i, v := range views {
		if m.me != "" || i == len(views)-1 {
			add(v.name, i == m.viewed())
		}
	}
	add("Board", m.board)
	if m.query != "" && !m.typing {
		add("/"+cut(escape(m.query), m.width/3), true)
	}
	right := escape(m.project) + " "
	if m.me != "" {
		right = escape(m.me) + faint.paint(" in ") + right
	}
	gap := m.width - ansi.StringWidthWc(left+right)
	if gap < 1 {
		return left
	}
	return left + strings.Repeat(" ", gap) + right
}

// body returns the lines of list and preview.
func (m *model) body() []string {
	at := m.layout()
	var left, right []string
	if at.listHeight > 0 {
		left = m.listLines(at)
	}
	if at.previewHeight > 0 {
		right = m.previewLines(at)
	}
	if at.listWidth < m.width {
		for i := range at.listHeight {
			right[i] = pad(line(left, i), at.listWidth) + faint.paint("│") + " " + right[i]
		}
		return right
	}
	if at.listHeight > 0 && at.previewHeight > 0 {
		left = append(left, make([]string, at.listHeight-len(left))...)
		left = append(left, faint.paint(strings.Repeat("─", m.width)))
	}
	for _, text := range right {
		left = append(left, " "+text)
	}
	return left
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// previewLines returns the lines of the chosen handoff, as many as there is room for.
func (m *model) previewLines(at layout) []string {
	lines := m.header(at.previewWidth)
	if body := m.preview.body.lines; body != nil {
		m.preview.top = max(0, min(m.preview.top, len(body), len(body)+len(lines)-at.previewHeight))
		lines = append(lines, body[m.preview.top:]...)
	}
	if more := len(lines) - at.previewHeight; more > 0 {
		lines[at.previewHeight-1] = faint.paint(fmt.Sprintf("… %d more", more+1))
	}
	return append(lines, make([]string, at.previewHeight)...)[:at.previewHeight]
}

// foot returns the bottom lines. A long message covers the lines above, since its end says what to do.
func (m *model) foot() []string {
	text := ""
	switch {
	case m.typing:
		return []string{m.queryLine() + faint.paint(fmt.Sprintf("   %d of %d", len(m.shown), len(m.rows)))}
	case m.message != "":
		text = m.message
	case m.trouble != "":
		text = m.trouble
	default:
		return []string{m.hints()}
	}
	lines := wrapped(text, m.width-1)
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines[:min(len(lines), max(1, m.height/3))]
}

// hints returns the keys with a hint, as many as there is room for.
func (m *model) hints() (line string) {
	words := map[string]string{}
	if m.open_ {
		words["enter"], words["q"] = "-", "back"
	}
	for _, b := range bindings() {
		does := b.hint
		if word := words[b.keys[0]]; word != "" {
			does = word
		}
		more := line + " " + bold.paint(b.keys[0]) + faint.paint(" "+does) + " "
		if len(does) > 1 && ansi.StringWidthWc(more) <= m.width {
			line = more
		}
	}
	return line
}

// queryLine returns the query while it is typed, or its end if it is too long.
func (m *model) queryLine() string {
	text := " " + accent.paint("/") + escape(m.query)
	return ansi.TruncateLeftWc(text, max(0, ansi.StringWidthWc(text)-m.width+2), "…")
}

// help returns the lines of the keys.
func (m *model) help() (lines []string) {
	for _, b := range bindings() {
		if b.shown != "" {
			lines = append(lines, "  "+bold.paint(fmt.Sprintf("%-9s", b.shown))+" "+b.does)
		}
	}
	return lines
}

// cut shortens styled text to width columns.
func cut(text string, width int) string {
	return ansi.TruncateWc(text, max(0, width), "…")
}

// pad returns styled text in exactly width columns.
func pad(text string, width int) string {
	text = cut(text, width)
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidthWc(text)))
}

// wrapped returns text in lines of at most width columns.
func wrapped(text string, width int) []string {
	return strings.Split(ansi.WrapWc(text, max(1, width), " "), "\n")
}

// escape escapes text for one line of the terminal.
func escape(text string) string { return handoff.EscapeLine(text) }
