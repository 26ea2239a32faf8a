package inbox

import (
	"errors"
	"io/fs"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// often is how long a change of the store may be unseen.
const often = 400 * time.Millisecond

// gone is the stamp of a store whose directory is not there.
const gone = "gone"

// A row is a handoff that is listed.
type row struct {
	handoff.Entry
	state handoff.State
	taker string // who has taken it
}

// loadedMsg is what a look at the store found: all handoffs, newest first. Without rows nothing changed.
type loadedMsg struct {
	rows  []row
	err   error
	note  string
	stamp string
}

// look reads the store if it is another than at the last look.
func (m *model) look(after time.Duration) tea.Cmd {
	last, s := m.stamp, m.store
	return func() tea.Msg {
		time.Sleep(after)
		stamp := s.Stamp()
		if _, err := os.Stat(s.Dir()); errors.Is(err, fs.ErrNotExist) {
			stamp = gone
		}
		if stamp == last {
			return loadedMsg{stamp: stamp}
		}
		rows, err := load(s)
		return loadedMsg{rows, err, m.said.take(), stamp}
	}
}

func load(s *handoff.Store) ([]row, error) {
	entries, err := s.List(handoff.Filter{})
	if err != nil {
		return nil, err
	}
	order := make(chan []int32)
	go func() { order <- handoff.NewestOrder(entries) }()
	states, takers := s.StatesOf(entries)
	rows := make([]row, len(entries))
	for i, from := range <-order {
		rows[i].Entry, rows[i].state = entries[from], states[from]
		if states[from] == handoff.StateTaken {
			rows[i].taker = takers[entries[from].ID]
		}
	}
	return rows, nil
}
