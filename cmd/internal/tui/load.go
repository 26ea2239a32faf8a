package tui

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// often is the interval between looks at the store.
const often = 400 * time.Millisecond

// gone is the stamp of a store without a directory.
const gone = "gone"

// A row is a handoff of the list.
type row struct {
	handoff.Entry
	state handoff.State
	taker string // the holder
}

// loadedMsg is the result of reading the store, newest handoffs first. Without rows, nothing changed.
type loadedMsg struct {
	rows  []row
	err   error
	note  string
	stamp string
	rest  tea.Cmd // reads all handoffs, if rows are only the newest of the first view
}

// firstRows is the number of handoffs for the first screen, more than a terminal has lines.
const firstRows = 200

// begin reads the handoffs of the first screen, and then all. Both come from the same facts.
func (m *model) begin() tea.Cmd {
	s, said := m.store, m.said
	first := handoff.Filter{To: m.me, Open: m.me != ""}
	return func() tea.Msg {
		stamp := stampOf(s)
		rows, err := load(s, first, firstRows)
		return loadedMsg{rows: rows, err: err, stamp: stamp, rest: func() tea.Msg { return all(s, said, stamp) }}
	}
}

// look reads the store if it has changed since the last look.
func (m *model) look() tea.Cmd {
	s, said, last := m.store, m.said, m.stamp
	return func() tea.Msg {
		time.Sleep(often)
		stamp := stampOf(s)
		if stamp == last {
			return loadedMsg{stamp: stamp}
		}
		return all(s, said, stamp)
	}
}

// all reads all handoffs of a store with the given stamp.
func all(s *handoff.Store, said *notes, stamp string) loadedMsg {
	rows, err := load(s, handoff.Filter{}, math.MaxInt)
	if stampOf(s) == gone { // the rows can be incomplete
		rows, stamp = nil, gone
	}
	return loadedMsg{rows: rows, err: err, note: said.take(), stamp: stamp}
}

// stampOf returns a string that changes with the store.
func stampOf(s *handoff.Store) string {
	if _, err := os.Stat(s.Dir()); errors.Is(err, fs.ErrNotExist) {
		return gone
	}
	return s.Stamp()
}

// load returns the handoffs that a filter selects, newest first and at most so many.
func load(s *handoff.Store, f handoff.Filter, most int) ([]row, error) {
	entries, err := s.List(f)
	if err != nil {
		return nil, err
	}
	entries = handoff.NewestFirst(entries)
	entries = entries[:min(most, len(entries))]
	rows := make([]row, len(entries))
	for i, e := range entries {
		if rows[i].Entry, rows[i].state = e, e.State(); e.State() == handoff.StateTaken {
			rows[i].taker = e.Life().Take.Operator
		}
	}
	return rows, nil
}
