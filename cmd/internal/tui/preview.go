package tui

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/work"
)

// A target is a handoff to be shown in a given width. Its state comes from the row, so another row is another
// target.
type target struct {
	entry handoff.Entry
	width int
}

// A preview is the chosen handoff.
type preview struct {
	wanted atomic.Pointer[target] // commands read it, to stop if it has changed
	stale  bool                   // the store has changed
	body   bodyMsg
	top    int // the first line of the body on the screen
}

// bodyMsg is a handoff that was read, or why it is not shown.
type bodyMsg struct {
	*target
	lines      []string
	tags       []string
	references []string
	signed     string
	fresh      string // how the files that it names compare with the work
	err        error
}

const (
	quiet  = 30 * time.Millisecond // the delay between a key and reading a body
	atMost = 100                   // the maximum width of a body, for easy reading
)

// want returns the command that reads the chosen handoff, or nil if it was read or is being read.
func (m *model) want() tea.Cmd {
	r := m.chosen()
	if r == nil {
		m.preview.wanted.Store(nil)
		return nil
	}
	t := &target{r.Entry, min(m.layout().previewWidth, atMost)}
	isSame := func(old *target) bool { return old.entry.ID == t.entry.ID && old.width == t.width }
	if old := m.preview.wanted.Load(); old != nil && isSame(old) && !m.preview.stale {
		return nil
	} else if old == nil || old.entry.ID != t.entry.ID {
		m.preview.top = 0
	}
	m.preview.stale = false
	m.preview.wanted.Store(t)
	wanted, c := &m.preview.wanted, m.colors
	s, w := m.store, m.work
	return func() tea.Msg {
		time.Sleep(quiet)
		if wanted.Load() != t {
			return nil
		}
		return read(s, t, w, c)
	}
}

// read reads and verifies a handoff, and makes its lines. It does not show a handoff that was changed after it
// was stored.
func read(s *handoff.Store, t *target, w *work.Tree, colors bool) bodyMsg {
	got, err := s.Load(t.entry)
	if err != nil {
		return bodyMsg{target: t, err: err}
	}
	title := handoff.Cut(handoff.Title(got.Body, ""), t.width)
	msg := bodyMsg{target: t, tags: got.Tags, references: got.References,
		lines: strings.Split(ansi.Hardwrap(strings.Join(handoff.Lines(got.Body, title, t.width, colors), "\n"), t.width,
			true), "\n")}
	if w != nil {
		msg.fresh = w.Of(context.Background(), got.References).Line()
	}
	if why := s.Distrust(got.Entry.From, got.Signature); why != "" {
		msg.signed = why
	} else if got.Signature.State == handoff.SignatureGood {
		msg.signed = "signed by " + got.Signature.Operator
	}
	return msg
}

// show takes a body, if it is still wanted.
func (m *model) show(msg bodyMsg) {
	if m.preview.wanted.Load() == msg.target {
		m.preview.body = msg
	}
}

// isShown reports whether the preview has the body of a row.
func (m *model) isShown(r *row) bool {
	return m.preview.body.target != nil && m.preview.body.entry.ID == r.ID
}

func (m *model) scroll(by int) tea.Cmd {
	m.preview.top += by
	return nil
}

// hold keeps the scroll position within the body.
func (m *model) hold() {
	if r := m.chosen(); r == nil || !m.isShown(r) {
		return
	}
	at := m.layout()
	room := at.previewHeight - len(m.header(at.previewWidth))
	m.preview.top = max(0, min(m.preview.top, len(m.preview.body.lines)-room))
}

// header returns the lines above a body.
func (m *model) header(width int) []string {
	r := m.chosen()
	if r == nil {
		return nil
	}
	lines := []string{
		m.cut(bold.paint(m.titleOf(r)), width),
		m.cut(escape(r.From)+faint.paint(" → ")+escape(r.To)+faint.paint(" · "+m.when(r.Time)), width),
		m.cut(m.stateOf(r)+faint.paint(" · "+cli.Short(r.ID, cli.Shortest)+tags(m.preview.body.tags, m.isShown(r))),
			width),
	}
	if m.isShown(r) {
		facts := []string{cli.Related(m.preview.body.references), m.preview.body.signed, m.preview.body.fresh}
		for _, more := range facts {
			if more != "" {
				lines = append(lines, m.cut(faint.paint(escape(more)), width))
			}
		}
	}
	return append(lines, "")
}

func tags(tags []string, known bool) string {
	if !known || len(tags) == 0 {
		return ""
	}
	return " · #" + escape(strings.Join(tags, " #"))
}

// when returns how long ago a time was, and the local time.
func (m *model) when(ts string) string {
	at, err := time.Parse(time.RFC3339Nano, ts)
	if err != nil {
		return escape(ts)
	}
	return handoff.Ago(at, m.now()) + " · " + at.In(m.now().Location()).Format("Mon 2 Jan 2006 15:04")
}
