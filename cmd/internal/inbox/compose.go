package inbox

import (
	tea "charm.land/bubbletea/v2"
)

// composedMsg says that the editor was left.
type composedMsg struct{ err error }

// write returns what a key does that has a handoff written about the one that is chosen.
func write(verb string) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		r := m.chosen()
		if r == nil {
			return nil
		}
		return tea.Exec(m.compose(verb, r.ID), func(err error) tea.Msg { return composedMsg{err} })
	}
}

func (m *model) composed(msg composedMsg) tea.Cmd {
	if msg.err != nil {
		return m.fail(sentence(msg.err))
	}
	return m.say("written")
}

func (m *model) openThread() tea.Cmd { return nil }
