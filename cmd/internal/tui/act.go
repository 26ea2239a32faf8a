package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A runner runs a command for an operator and returns its error without printing it, as cli.App.Again does.
type runner func(stdin io.Reader, stdout, stderr io.Writer, operator string, args ...string) error

// A change is a command that changes one handoff.
type change struct {
	done string // the words for its result
	back string // the command that reverts it; "" if no key does
}

// changes maps the words of a command to what it does.
var changes = map[string]change{
	"take":             {"taken", "release"},
	"release":          {"released", "take"},
	"done":             {"done", "done --undo"},
	"done --undo":      {"open again", ""},
	"mark-read":        {"marked as read", "mark-read --undo"},
	"mark-read --undo": {"unread again", ""},
}

// An undo reverts the change of one key, if it has commands.
type undo struct {
	commands  []string
	id, title string
}

// inverse returns the commands that revert a command on a handoff that was in a state, nil if there are none.
func inverse(command string, was handoff.State) []string {
	back := changes[command].back
	again := map[handoff.State]string{handoff.StateTaken: "take", handoff.StateRead: "mark-read"}[was]
	switch {
	case back == "":
		return nil
	case again != "" && (command == "take" || command == "done"): // what is released or reopened is unread
		return []string{back, again}
	}
	return []string{back}
}

// actedMsg is the result of a change.
type actedMsg struct {
	said string
	err  error
	undo undo
}

// act returns the action of a key that runs a command on the chosen handoff.
func act(command string) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		r := m.chosen()
		if r == nil {
			return nil
		}
		id, title, back := r.ID, m.titleOf(r), inverse(command, r.state)
		return m.inTurn(func() tea.Cmd { return m.do([]string{command}, id, title, back) })
	}
}

// inTurn runs a change, after those that are in progress: u and what follows see their results.
func (m *model) inTurn(change func() tea.Cmd) tea.Cmd {
	if m.working > 0 {
		m.queue = append(m.queue, change)
		return nil
	}
	return change()
}

// nextChange starts the change that waited longest.
func (m *model) nextChange() (cmd tea.Cmd) {
	for m.working == 0 && len(m.queue) > 0 {
		change := m.queue[0]
		m.queue = m.queue[1:]
		cmd = change()
	}
	if m.leaving && m.working == 0 {
		return tea.Quit
	}
	return cmd
}

// do runs commands on a handoff. Then u runs back, unless nothing changed.
func (m *model) do(commands []string, id, title string, back []string) tea.Cmd {
	m.working++
	m.say(commands[0] + ": " + title + "…")
	return func() tea.Msg {
		msg := actedMsg{said: title + ": nothing changed"}
		for _, command := range commands {
			var receipt struct{ Status string }
			args := append(strings.Fields(command), "--lock-timeout", m.patience.String(), id)
			out, _, err := m.output(args...)
			if err == nil {
				err = json.Unmarshal(out, &receipt)
			}
			if err != nil {
				return actedMsg{err: err}
			}
			if receipt.Status == handoff.StatusChanged {
				msg.said = "\"" + title + "\" is " + changes[commands[0]].done
				msg.undo = undo{back, id, title}
			}
		}
		return msg
	}
}

// output runs a command that asks nothing. It returns the bytes on its standard output and standard error.
func (m *model) output(args ...string) (out, said []byte, err error) {
	var stdout, stderr bytes.Buffer
	err = m.run(strings.NewReader(""), &stdout, &stderr, m.me, args...)
	return stdout.Bytes(), stderr.Bytes(), err
}

// undo reverts the last change.
func (m *model) undo() tea.Cmd { return m.inTurn(m.undoLast) }

func (m *model) undoLast() tea.Cmd {
	n := len(m.undone)
	if n == 0 {
		return m.say("there is nothing to undo")
	}
	last := m.undone[n-1]
	m.undone = m.undone[:n-1]
	return m.do(last.commands, last.id, last.title, nil)
}

// acted shows the result of a change, and reads the store again.
func (m *model) acted(msg actedMsg) tea.Cmd {
	m.working--
	if msg.err != nil {
		m.leaving, m.queue = false, nil
		return m.fail(fault.Sentence(msg.err))
	}
	if len(msg.undo.commands) > 0 {
		m.undone = append(m.undone, msg.undo)
		msg.said += "; u takes that back"
	}
	m.say(msg.said)
	return m.nextChange()
}

// foundMsg is the result of a search.
type foundMsg struct {
	what string
	ids  map[string]int // with their rank
	err  error
}

// mostFound is the number of handoffs that a search lists, the best ones.
const mostFound = 200

// search searches all handoffs for a text.
func (m *model) search(text string) tea.Cmd {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	s := m.store
	m.say("searching for " + text + "…")
	return func() tea.Msg {
		found, err := s.Search(context.Background(), handoff.Query{Words: words, Limit: mostFound})
		ids := make(map[string]int, len(found.Matches))
		for i, match := range found.Matches {
			ids[match.ID] = i
		}
		return foundMsg{"about " + text, ids, err}
	}
}

func (m *model) gotFound(msg foundMsg) {
	if msg.err != nil {
		m.fail(fault.Sentence(msg.err))
		return
	}
	m.found, m.what, m.filter = msg.ids, msg.what, ""
	m.open_, m.at = false, 0
	m.choose("") // the best one
	m.say(handoff.Count(len(msg.ids), "handoff") + " " + msg.what + "; esc shows all")
}
