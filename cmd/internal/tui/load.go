package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// often is the interval between looks at the store.
const often = 400 * time.Millisecond

// A row is a handoff of the list.
type row struct {
	*handoff.Entry
	state handoff.State
	taker string // the holder
}

// loadedMsg is the result of reading the store, newest handoffs first. Without rows, nothing changed.
type loadedMsg struct {
	rows    []row
	err     error
	stamp   string
	isFirst bool // rows are only the newest unread ones to the operator
}

const mostFirst = 200 // more than a screen has lines

// begin returns the commands that read the newest handoffs that wait for the operator, and then all.
func (m *model) begin() (first, all tea.Cmd) {
	s, me := m.store, m.me
	stamp := s.Stamp()
	all = func() tea.Msg { return load(s, handoff.Filter{}, stamp) }
	if me == "" {
		return nil, all
	}
	return func() tea.Msg {
		msg := load(s, handoff.Filter{To: me, Unread: true, Newest: mostFirst}, stamp)
		msg.isFirst = true
		return msg
	}, all
}

// look reads the store if it has changed since the last look.
func (m *model) look() tea.Cmd {
	s, last := m.store, m.stamp
	return func() tea.Msg {
		time.Sleep(often)
		stamp := s.Stamp()
		if stamp == last {
			return loadedMsg{stamp: stamp}
		}
		return load(s, handoff.Filter{}, stamp)
	}
}

// load reads the handoffs that a filter selects.
func load(s *handoff.Store, f handoff.Filter, stamp string) loadedMsg {
	entries, err := s.List(f)
	rows := make([]row, len(entries))
	entries = handoff.NewestFirst(entries)
	for i := range entries {
		e := &entries[i]
		if rows[i].Entry, rows[i].state = e, e.State; e.State == handoff.StateTaken {
			rows[i].taker = e.Life().Take.Operator
		}
	}
	return loadedMsg{rows: rows, err: err, stamp: stamp}
}
