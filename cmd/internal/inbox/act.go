package inbox

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A storeChange is a change of one handoff in the store, with its messages.
type storeChange struct {
	doing, done string
	idle        string // the message if nothing changed
	do          func(ctx context.Context, s *handoff.Store, me, id string) (status string, err error)
}

var markRead = storeChange{"marking as read", "marked as read", "was read before",
	func(ctx context.Context, s *handoff.Store, me, id string) (string, error) {
		got, err := s.MarkRead(ctx, me, id)
		if err != nil {
			return "", err
		}
		return got[0].Status, nil
	}}

func does(act handoff.Act) func(context.Context, *handoff.Store, string, string) (string, error) {
	return func(ctx context.Context, s *handoff.Store, me, id string) (string, error) {
		got, err := s.Act(ctx, act, id, handoff.Consumption{Operator: me})
		return got.Status, err
	}
}

var (
	take      = storeChange{"taking", "taken", "was yours before", does(handoff.ActTake)}
	release   = storeChange{"giving back", "given back", "was not taken", does(handoff.ActRelease)}
	end       = storeChange{"finishing", "done", "was done before", does(handoff.ActDone)}
	archive   = storeChange{"archiving", "archived", "was archived before", does(handoff.ActArchive)}
	unarchive = storeChange{"restoring", "restored", "was not archived", does(handoff.ActUnarchive)}
)

func archiveOrBack(m *model) tea.Cmd {
	if r := m.chosen(); r != nil && r.state == handoff.StateArchived {
		return act(unarchive)(m)
	}
	return act(archive)(m)
}

// actedMsg is the result of a change.
type actedMsg struct {
	said string
	err  error
}

// act returns the action of a key that changes the chosen handoff.
func act(d storeChange) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		r := m.chosen()
		switch {
		case r == nil:
			return nil
		case m.me == "":
			return m.fail("I don't know who you are: run `handoff init`, or set HANDOFF_OPERATOR")
		}
		s, me, id, about := m.store, m.me, r.ID, r.Topic
		m.working++
		m.say(d.doing + " " + about + "…")
		return func() tea.Msg {
			status, err := d.do(context.Background(), s, me, id)
			said := d.done
			if status == handoff.StatusExisting {
				said = d.idle
			}
			return actedMsg{about + ": " + said, err}
		}
	}
}

// ask returns the action of a key that asks a question before a change.
func ask(d storeChange, question string) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		if r := m.chosen(); r != nil {
			m.say(r.Topic + ": " + question + " y/n")
			m.confirm = act(d)
		}
		return nil
	}
}

// acted shows the result of a change, and reads the store again.
func (m *model) acted(msg actedMsg) tea.Cmd {
	m.working--
	if msg.err != nil {
		m.leaving = false
		return m.fail(sentence(msg.err))
	}
	if m.leaving && m.working == 0 {
		return tea.Quit
	}
	return m.say(msg.said)
}

// foundMsg is the result of a search, or a thread.
type foundMsg struct {
	what  string
	whole bool           // among all handoffs, not only in the view
	ids   map[string]int // with their rank, if they have one
	err   error
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
		return foundMsg{"about " + text, false, ids, err}
	}
}

// openThread lists the thread of the chosen handoff.
func (m *model) openThread() tea.Cmd {
	r := m.chosen()
	if r == nil {
		return nil
	}
	s, id, topic := m.store, r.ID, r.Topic
	return func() tea.Msg {
		thread, err := s.Thread(id)
		ids := make(map[string]int, len(thread.Nodes))
		for _, n := range thread.Nodes {
			ids[n.ID] = 0
		}
		return foundMsg{"in the thread of " + topic, true, ids, err}
	}
}

func (m *model) gotFound(msg foundMsg) {
	if msg.err != nil {
		m.fail(sentence(msg.err))
		return
	}
	id := m.id()
	m.found, m.what, m.filter = msg.ids, msg.what, ""
	if m.open_ = false; msg.whole {
		m.view = len(views) - 1
	} else {
		m.at, id = 0, "" // the best one
	}
	m.choose(id)
	m.say(handoff.Count(len(msg.ids), "handoff") + " " + msg.what + "; esc shows all")
}
