package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/site"
)

// The styles: attributes, and the terminal's 16 colors, which suit its background.
var (
	none   = lipgloss.NewStyle()
	bold   = none.Bold(true)
	faint  = none.Faint(true)
	accent = none.Foreground(lipgloss.Blue).Bold(true)
	wrong  = none.Foreground(lipgloss.Red)
	tab    = none.Reverse(true)
)

// A look is the sign and color of a state.
type look struct {
	sign  string
	style lipgloss.Style
}

// lookOf returns the look of package palette, in the 16 colors of the terminal.
func lookOf(state handoff.State) look {
	of := site.LookOf(string(state))
	switch of.SGR {
	case "1":
		return look{of.Sign, bold}
	case "2":
		return look{of.Sign, faint}
	}
	number, _ := strconv.Atoi(of.SGR)
	return look{of.Sign, none.Foreground(lipgloss.ANSIColor(number - 30))}
}

// A layout divides the screen. A hidden part has no lines.
type layout struct {
	listWidth, listHeight       int
	previewWidth, previewHeight int
	beside                      bool // the list is left of the preview, not above it
}

const (
	frame     = 3   // lines of title, rule and hints
	sideFrom  = 140 // the minimum width for list and preview side by side
	sizeNamed = 60  // the minimum width for the program's name in the title
	stackFrom = 16  // the minimum height for list above preview
)

func (m *model) layout() layout {
	body := max(0, m.height-frame)
	switch {
	case m.open_:
		return layout{previewWidth: max(1, m.width-2), previewHeight: body}
	case m.chosen() == nil:
		return layout{listWidth: m.width, listHeight: body, previewWidth: max(1, m.width-2)}
	case m.width >= sideFrom:
		left := m.width * 45 / 100
		return layout{left, body, m.width - left - 3, body, true}
	case m.height >= stackFrom:
		at := layout{listWidth: m.width, previewWidth: max(1, m.width-2)}
		at.listHeight = max(4, min(body*2/5, m.counts[m.view]))
		at.previewHeight = body - at.listHeight - 1
		return at
	}
	return layout{listWidth: m.width, listHeight: body, previewWidth: max(1, m.width-2)}
}

func (m *model) View() tea.View {
	lines := []string{m.title(), m.rule()}
	if m.helping {
		help := m.help()
		lines = append(lines, help[:min(len(help), m.helpRoom())]...)
	} else if m.on && !m.open_ {
		lines = append(lines, m.boardLines(m.height-frame)...)
	} else {
		lines = append(lines, m.body()...)
	}
	foot := m.foot()
	room := max(0, m.height-len(foot))
	for len(lines) < room {
		lines = append(lines, "")
	}
	lines = append(lines[:room], foot...)
	for i, line := range lines {
		lines[i] = m.cut(line, m.width)
	}
	view := tea.NewView(strings.Join(lines, "\n"))
	view.AltScreen = true
	if m.prompt != nil {
		view.Cursor = tea.NewCursor(min(m.measure.StringWidth(m.promptLine()), max(0, m.width-1)), max(0, m.height-1))
	}
	return view
}

// title returns the line with operator and view.
func (m *model) title() string {
	left := " "
	if m.width >= sizeNamed {
		left += bold.Render("handoff") + "  "
	}
	for i, v := range views {
		if m.me == "" && i < len(views)-1 {
			continue
		}
		text := " " + v.name + " " + m.known("%d ", m.counts[i])
		if i == 0 && m.unread > 0 {
			text += m.known("· %d new ", m.unread)
		}
		left += tabOf(text, i == m.view && !m.on)
	}
	left += tabOf(" Board ", m.on)
	if what := m.searching(); what != "" && m.prompt == nil {
		n, _ := m.size()
		left += " " + accent.Render(m.known("%d ", n)) + escape(what)
	}
	right := escape(m.project) + " "
	if m.me != "" {
		right = escape(m.me) + faint.Render(" in ") + right
	}
	gap := m.width - m.measure.StringWidth(left) - m.measure.StringWidth(right)
	if gap < 1 {
		return left
	}
	return left + strings.Repeat(" ", gap) + right
}

// tabOf returns the tab of a view in the title.
func tabOf(name string, chosen bool) string {
	if chosen {
		return tab.Render(name) + " "
	}
	return faint.Render(name) + " "
}

// rule returns the line below the title, with the position in a long list.
func (m *model) rule() string {
	at, place := m.layout(), ""
	c := m.turned()
	if !m.helping && (!m.on || m.open_) && len(c.shown) > at.rows() && len(c.shown) > 1 {
		place = m.known(" %d of %d ", c.at+1, len(c.shown))
	}
	end := m.width
	if at.beside {
		end = at.listWidth
	}
	before := max(0, end-len(place)-1)
	return faint.Render(strings.Repeat("─", before) + place +
		strings.Repeat("─", max(0, m.width-before-len(place))))
}

// body returns the lines of list and preview.
func (m *model) body() []string {
	at := m.layout()
	switch {
	case m.open_:
		return indent(m.previewLines(at), " ")
	case at.previewHeight == 0:
		return m.listLines(at)
	case at.beside:
		left, right := m.listLines(at), m.previewLines(at)
		lines := make([]string, at.listHeight)
		for i := range lines {
			lines[i] = m.pad(line(left, i), at.listWidth) + faint.Render("│") + " " + line(right, i)
		}
		return lines
	}
	lines := m.listLines(at)
	for len(lines) < at.listHeight {
		lines = append(lines, "")
	}
	lines = append(lines, faint.Render(strings.Repeat("─", m.width)))
	return append(lines, indent(m.previewLines(at), " ")...)
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

func indent(lines []string, by string) []string {
	for i := range lines {
		lines[i] = by + lines[i]
	}
	return lines
}

// previewLines returns the lines of the chosen handoff that fit.
func (m *model) previewLines(at layout) []string {
	r := m.chosen()
	if r == nil {
		return nil
	}
	lines := m.header(at.previewWidth)
	switch shown := m.preview.body; {
	case !m.isShown(r):
	case shown.err != nil:
		lines = append(lines, wrapped(wrong.Render(escape(fault.Sentence(shown.err))), at.previewWidth)...)
	default:
		lines = append(lines, tail(shown.lines, m.preview.top)...)
	}
	if len(lines) > at.previewHeight && at.previewHeight > 0 {
		more := len(lines) - at.previewHeight + 1
		lines = append(lines[:at.previewHeight-1:at.previewHeight-1], faint.Render(fmt.Sprintf("… %d more", more)))
	}
	return lines
}

func tail(lines []string, from int) []string { return lines[min(max(0, from), len(lines)):] }

// foot returns the bottom lines. A long message covers the lines above, since its end says what to do.
func (m *model) foot() []string {
	if text := m.bottom(); m.prompt == nil && m.message+m.trouble != "" {
		lines := wrapped(text, m.width)
		return lines[:min(len(lines), max(1, m.height/3))]
	}
	return []string{m.bottom()}
}

// bottom returns the prompt, a message, or hints.
func (m *model) bottom() string {
	switch {
	case m.prompt != nil && m.prompt.live:
		shown, of := m.size()
		return m.promptLine() + faint.Render(m.known("   %d of %d", shown, of))
	case m.prompt != nil:
		return m.promptLine()
	case m.message != "" && m.bad:
		return wrong.Render(" " + escape(m.message))
	case m.message != "":
		return " " + escape(m.message)
	case !m.loaded:
		return faint.Render(" reading all handoffs…")
	case m.trouble != "":
		return wrong.Render(" " + escape(m.trouble))
	case m.helping:
		if len(m.help()) > m.helpRoom() {
			return faint.Render(" space shows more, others go back")
		}
		return faint.Render(" any key goes back")
	}
	var hints []string
	for _, b := range bindings() {
		if b.hint == "" || m.chosen() == nil && !strings.Contains("/?q", b.keys[0]) {
			continue
		}
		does := b.hint
		switch {
		case m.open_ && b.keys[0] == "enter":
			continue
		case m.open_ && b.keys[0] == "q":
			does = "back"
		case m.on && b.keys[0] == "b":
			does = "list"
		}
		hints = append(hints, " "+bold.Render(b.keys[0])+faint.Render(" "+does)+" ")
	}
	for n := len(hints); n > 2 && m.measure.StringWidth(strings.Join(hints, "")) > m.width; n-- {
		hints = slices.Delete(hints, n-3, n-2) // keep the last two, help and quit
	}
	return strings.Join(hints, "")
}

// promptLine returns the input, or its end if it is too long.
func (m *model) promptLine() string {
	text := " " + accent.Render(escape(m.prompt.label)) + escape(string(m.prompt.text))
	if over := m.measure.StringWidth(text) - max(0, m.width-1); over > 0 {
		return m.measure.TruncateLeft(text, over+1, "…")
	}
	return text
}

func (m *model) helpRoom() int { return max(1, m.height-frame) }

// help returns the lines of the keys, from the first unseen one.
func (m *model) help() []string {
	var lines []string
	for _, b := range bindings() {
		if b.shown != "" {
			lines = append(lines, "  "+bold.Render(fmt.Sprintf("%-9s", b.shown))+" "+b.does)
		}
	}
	if len(lines) < m.helpRoom() {
		lines = append([]string{""}, lines...)
	}
	return tail(lines, m.helpTop)
}
