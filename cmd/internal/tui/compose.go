package tui

import (
	"io"

	tea "charm.land/bubbletea/v2"
)

// reply opens the editor for an answer to the chosen handoff.
func reply(m *model) tea.Cmd {
	r := m.chosen()
	if r == nil {
		return nil
	}
	title, id := m.titleOf(r), r.ID
	return m.inTurn(func() tea.Cmd { return m.runEditor(title+": answered", "reply", id) })
}

// writeNew opens the editor for a new handoff.
func writeNew(m *model) tea.Cmd {
	return m.inTurn(func() tea.Cmd { return m.runEditor("stored", "new") })
}

// runEditor runs a command that opens the editor. done is the message after it.
func (m *model) runEditor(done string, args ...string) tea.Cmd {
	m.working++
	run := func(in io.Reader, out io.Writer) error { return m.run(in, io.Discard, out, m.me, args...) }
	return tea.Exec(&composing{run: run}, func(err error) tea.Msg { return actedMsg{said: done, err: err} })
}

// composing owns the terminal while a person writes. Its errors go there too, since standard error can be a file.
type composing struct {
	in  io.Reader
	out io.Writer
	run func(in io.Reader, out io.Writer) error
}

func (c *composing) SetStdin(r io.Reader)  { c.in = r }
func (c *composing) SetStdout(w io.Writer) { c.out = w }
func (c *composing) SetStderr(io.Writer)   {}
func (c *composing) Run() error            { return c.run(c.in, c.out) }
