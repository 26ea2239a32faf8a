package inbox

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A deed changes the store for one handoff, and says what became of it.
type deed struct {
	doing, done string
	idle        string // what is said where it was so before
	do          func(ctx context.Context, s *handoff.Store, me, id string) (status string, err error)
}

var markRead = deed{"marking as read", "marked as read", "was read before", func(ctx context.Context, s *handoff.Store, me, id string) (string, error) {
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
	take      = deed{"taking", "taken", "you had taken it before", does(handoff.ActTake)}
	release   = deed{"giving back", "given back", "nobody had taken it", does(handoff.ActRelease)}
	end       = deed{"ending", "done", "was done before", does(handoff.ActDone)}
	archive   = deed{"archiving", "archived", "was archived before", does(handoff.ActArchive)}
	unarchive = deed{"bringing back", "brought back", "was not archived", does(handoff.ActUnarchive)}
)

func archiveOrBack(m *model) tea.Cmd {
	if r := m.chosen(); r != nil && r.state == handoff.StateArchived {
		return act(unarchive)(m)
	}
	return act(archive)(m)
}

// actedMsg is a deed that is done, or was refused.
type actedMsg struct {
	said string
	err  error
}

// act returns what a key does that does a deed to the handoff that is chosen.
func act(d deed) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		r := m.chosen()
		switch {
		case r == nil:
			return nil
		case m.me == "":
			return m.fail("handoff does not know who you are: set HANDOFF_OPERATOR, or run `handoff init`")
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

// ask returns what a key does whose deed cannot be undone.
func ask(d deed, question string) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		if r := m.chosen(); r != nil {
			m.say(r.Topic + ": " + question + " y/n")
			m.confirm = act(d)
		}
		return nil
	}
}

// acted says what became of a deed, and looks at the store.
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

// foundMsg is what a search found, or what belongs to a thread.
type foundMsg struct {
	what  string
	whole bool           // of all handoffs, not of the view
	ids   map[string]int // in which order, where they have one
	err   error
}

// mostFound is how many handoffs a search lists: the best ones.
const mostFound = 200

// search looks in all handoffs for those that are about something.
func (m *model) search(text string) tea.Cmd {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	s := m.store
	m.say("looking for " + text + "…")
	return func() tea.Msg {
		found, err := s.Search(context.Background(), handoff.Query{Words: words, Limit: mostFound})
		ids := make(map[string]int, len(found.Matches))
		for i, match := range found.Matches {
			ids[match.ID] = i
		}
		return foundMsg{"about " + text, false, ids, err}
	}
}

// openThread lists what the chosen handoff answers, and what answers it.
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
	m.say(handoff.Count(len(msg.ids), "handoff") + " " + msg.what + "; esc shows all again")
}
