package inbox

import (
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
)

// A Compose lets a person write a handoff about another one in an editor, and stores it. verb is the command:
// reply or supersede.
type Compose func(stdin io.Reader, stdout, stderr io.Writer, me, verb, id string) error

// write returns the action of a key that writes a handoff about the chosen one.
func write(verb, done string) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		r := m.chosen()
		switch {
		case r == nil:
			return nil
		case verb == "supersede" && r.From != m.me:
			return m.fail("only its sender " + r.From + " can supersede it; r replies")
		}
		title, id := m.titleOf(r), r.ID
		return m.inTurn(func() tea.Cmd { return m.runEditor(verb, id, title+": "+done) })
	}
}

// writeNew opens the editor for a new handoff.
func writeNew(m *model) tea.Cmd {
	return m.inTurn(func() tea.Cmd { return m.runEditor("new", "", "stored") })
}

// runEditor runs a command that opens the editor.
func (m *model) runEditor(verb, id, said string) tea.Cmd {
	m.working++
	run := func(c *composing) error {
		if tty, err := os.Open("/dev/tty"); err == nil { // unlike standard input, its readers can be woken
			defer tty.Close()
			m.form.Store(tty)
			c.in = tty
		}
		return m.compose(c.in, io.Discard, c.out, m.me, verb, id)
	}
	return tea.Exec(&composing{run: run}, func(err error) tea.Msg { return actedMsg{said: said, err: err} })
}

// composing owns the terminal while a person writes, or while the program is suspended. Its errors go there too, since
// standard error can be a file.
type composing struct {
	in  io.Reader
	out io.Writer
	run func(*composing) error
}

func (c *composing) SetStdin(r io.Reader)  { c.in = r }
func (c *composing) SetStdout(w io.Writer) { c.out = w }
func (c *composing) SetStderr(io.Writer)   {}
func (c *composing) Run() error            { return c.run(c) }
