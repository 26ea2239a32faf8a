package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

// A preview is the chosen handoff.
type preview struct {
	id    string // of the handoff that is shown, or is being read
	width int    // of its lines
	body  bodyMsg
	top   int // the first line of the body on the screen
}

// bodyMsg is a handoff that was read.
type bodyMsg struct {
	id    string
	width int
	lines []string // or why it is not shown
	about []string // its signature, and how the files that it names compare with the work
}

const atMost = 100 // the maximum width of a body, for easy reading

// want returns the command that reads the chosen handoff, or nil if it was read or is being read.
func (m *model) want() tea.Cmd {
	r, p, width := m.chosen(), &m.preview, min(m.layout().previewWidth, atMost)
	if r == nil || p.id == r.ID && p.width == width {
		return nil
	}
	if p.id != r.ID {
		p.top, p.body = 0, bodyMsg{}
	}
	p.id, p.width = r.ID, width
	s, w, e, colors := m.store, m.work, *r.Entry, m.colors
	return func() tea.Msg { return read(s, w, e, width, colors) }
}

// read reads and verifies a handoff, and makes its lines. It does not show a handoff that was changed after it
// was stored.
func read(s *handoff.Store, w *work.Tree, e handoff.Entry, width int, colors bool) bodyMsg {
	got, err := s.Load(e)
	if err != nil {
		return bodyMsg{e.ID, width, wrapped(wrong.paint(escape(fault.Sentence(err))), width), nil}
	}
	text := handoff.Lines(got.Body, handoff.Cut(handoff.Title(got.Body, ""), width), width, colors)
	text = strings.Split(ansi.HardwrapWc(strings.Join(text, "\n"), width, true), "\n")
	msg := bodyMsg{e.ID, width, text, []string{s.Distrust(e.From, got.Signature)}}
	if got.Signature.State == handoff.SignatureGood {
		msg.about = append(msg.about, "signed by "+got.Signature.Operator)
	}
	if w != nil {
		msg.about = append(msg.about, w.Of(context.Background(), got.References).Line())
	}
	return msg
}

// show takes a body, if it is still wanted.
func (m *model) show(msg bodyMsg) {
	if m.preview.id == msg.id && m.preview.width == msg.width {
		m.preview.body = msg
	}
}

// header returns the lines above a body.
func (m *model) header(width int) []string {
	r := m.chosen()
	if r == nil {
		return nil
	}
	age, when := m.age(r.Time)
	lines := []string{
		bold.paint(m.titleOf(r)),
		escape(r.From) + faint.paint(" → ") + escape(r.To) + faint.paint(" · "+age+" · "+when),
		m.stateOf(r) + faint.paint(" · "+cli.Short(r.ID, cli.Shortest)),
	}
	for _, text := range m.preview.body.about {
		if text != "" {
			lines = append(lines, faint.paint(escape(text)))
		}
	}
	for i := range lines {
		lines[i] = cut(lines[i], width)
	}
	return append(lines, "")
}
