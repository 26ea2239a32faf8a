package tui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A runner runs a command for an operator and returns its error without printing it, as cli.App.Again does.
type runner func(stdin io.Reader, stdout, stderr io.Writer, operator string, args ...string) error

// A change is what a command makes of a handoff, the command that reverts it, and the words that ask for that.
type change struct{ done, back, ask string }

var changes = map[string]change{
	"take":      {"taken", "take --undo", "give back"},
	"done":      {"done", "done --undo", "open again"},
	"mark-read": {"marked as read", "mark-read --undo", "mark as unread"},
	"reply":     {"stored", "withdraw", "take back"},
	"new":       {"stored", "withdraw", "take back"},
}

// An undo reverts what a key did.
type undo struct {
	ask      string   // the words that ask for it
	commands []string // run one after the other on each id
	ids      []string
	title    string
}

// name returns how messages name its handoff.
func (u undo) name() string { return cli.Short(u.ids[0], cli.Shortest) + " " + u.title }

const titleWidth = 60 // columns of a title in a message

// inverse returns the commands that revert a command on a handoff that was in a state.
func inverse(command string, was handoff.State) []string {
	again := map[handoff.State]string{handoff.StateTaken: "take", handoff.StateRead: "mark-read"}[was]
	if again != "" && (command == "take" || command == "done") { // a handoff that is given back or reopened is unread
		return []string{changes[command].back, again}
	}
	return []string{changes[command].back}
}

// actedMsg is the result of a command. follow is the id of the handoff to choose, or "".
type actedMsg struct {
	said   string
	err    error
	undo   *undo
	follow string
}

// act returns the action of a key that runs a command on the chosen handoff.
func act(command string) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		r := m.chosen()
		if r == nil {
			return nil
		}
		title := cut(m.titleOf(r), titleWidth)
		u := undo{changes[command].ask, inverse(command, r.state), []string{r.ID}, title}
		return m.inTurn(func() tea.Cmd { return m.do([]string{command}, u, &u) })
	}
}

// inTurn runs a change, after those that are in progress: u and what follows see their results.
func (m *model) inTurn(change func() tea.Cmd) tea.Cmd {
	if m.working {
		m.queue = append(m.queue, change)
		return nil
	}
	return change()
}

// nextChange starts the change that waited longest.
func (m *model) nextChange() (cmd tea.Cmd) {
	for !m.working && len(m.queue) > 0 {
		change := m.queue[0]
		m.queue = m.queue[1:]
		cmd = change()
	}
	if m.leaving && !m.working {
		return tea.Quit
	}
	return cmd
}

// do runs commands on the handoffs of on. Then u runs back, unless nothing changed.
func (m *model) do(commands []string, on undo, back *undo) tea.Cmd {
	m.working = true
	m.say(on.name() + "…")
	return func() tea.Msg {
		msg := actedMsg{said: on.name() + ": nothing changed"}
		for _, command := range commands {
			out, _, err := m.output(append(strings.Fields(command), on.ids...)...)
			if err != nil {
				return actedMsg{err: err}
			}
			if changed(out, handoff.StatusChanged) != nil {
				msg.said, msg.undo = on.name()+" is "+cmp.Or(changes[commands[0]].done, "as it was"), back
			}
		}
		if back == nil {
			msg.follow = on.ids[0]
		}
		return msg
	}
}

// changed returns the ids in receipts with a status.
func changed(receipts []byte, status string) (ids []string) {
	for d := json.NewDecoder(bytes.NewReader(receipts)); ; {
		var r struct {
			ID     string `json:"handoff_id"`
			Status string `json:"status"`
		}
		if d.Decode(&r) != nil {
			return ids
		}
		if r.Status == status {
			ids = append(ids, r.ID)
		}
	}
}

// output runs a command that asks nothing. It returns the bytes on its standard output and standard error.
func (m *model) output(args ...string) (out, said []byte, err error) {
	var stdout, stderr bytes.Buffer
	err = m.run(strings.NewReader(""), &stdout, &stderr, m.me, args...)
	return stdout.Bytes(), stderr.Bytes(), err
}

// undo asks whether to revert the last change, naming its handoff.
func (m *model) undo() tea.Cmd {
	return m.inTurn(func() tea.Cmd {
		if len(m.undone) == 0 {
			return m.say("there is nothing to undo")
		}
		last := m.undone[len(m.undone)-1]
		m.asking, m.message = true, accent.paint(last.ask+" "+last.name()+"? y")+faint.paint(" or any other key")
		return nil
	})
}

// answer reverts the last change if the key is y.
func (m *model) answer(key string) tea.Cmd {
	m.asking = false
	if key != "y" {
		return m.say("nothing undone")
	}
	last := m.undone[len(m.undone)-1]
	m.undone = m.undone[:len(m.undone)-1]
	return m.do(last.commands, last, nil)
}

// acted shows the result of a command. The next look at the store shows its effect.
func (m *model) acted(msg actedMsg) tea.Cmd {
	m.working = false
	if msg.err != nil {
		m.leaving, m.queue = false, nil
		return m.fail(fault.Sentence(msg.err))
	}
	if msg.undo != nil {
		m.undone = append(m.undone, *msg.undo)
		msg.said += "; u undoes it"
	}
	m.follow = msg.follow
	m.say(msg.said)
	return m.nextChange()
}

// sync exchanges handoffs with the other clones, and shows what the command says.
func (m *model) sync() tea.Cmd {
	return m.inTurn(func() tea.Cmd {
		m.working = true
		m.say("sync…")
		return func() tea.Msg {
			_, said, err := m.output("sync")
			lines := strings.Split("\n"+strings.TrimSpace(string(said)), "\nhandoff: ")
			return actedMsg{said: "synced: " + strings.Join(lines[1:], "; "), err: err}
		}
	})
}

// reply opens the editor for an answer to the chosen handoff.
func reply(m *model) tea.Cmd {
	r := m.chosen()
	if r == nil {
		return nil
	}
	name, id := "the reply to "+cut(m.titleOf(r), titleWidth), r.ID
	return m.inTurn(func() tea.Cmd { return m.runEditor(name, "reply", id) })
}

// writeNew opens the editor for a new handoff.
func writeNew(m *model) tea.Cmd {
	return m.inTurn(func() tea.Cmd { return m.runEditor("the new handoff", "new") })
}

// runEditor runs a command that opens the editor for a handoff with a name.
func (m *model) runEditor(name string, args ...string) tea.Cmd {
	m.working = true
	var receipts bytes.Buffer
	run := func(in io.Reader, out io.Writer) error { return m.run(in, &receipts, out, m.me, args...) }
	return tea.Exec(&composing{run: run}, func(err error) tea.Msg {
		ids := changed(receipts.Bytes(), handoff.StatusCreated)
		if err == nil && len(ids) == 0 {
			err = errors.New("nothing stored")
		}
		if err != nil {
			return actedMsg{err: err}
		}
		c := changes[args[0]]
		return actedMsg{said: name + " is " + c.done, undo: &undo{c.ask, []string{c.back}, ids, name}}
	})
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
