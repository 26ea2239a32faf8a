package remotetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/seed-78daf238/handoff/lib/exchange/remote"
)

// A Memory is a remote in memory. All clones of a test share its logs.
type Memory struct {
	mu   sync.Mutex
	Logs map[string][]remote.Batch

	OnAppend func() error // called before an append; may fail it
	IsLost   bool         // the answer of the next append is lost
}

// NewMemory returns an empty remote.
func NewMemory() *Memory { return &Memory{Logs: map[string][]remote.Batch{}} }

// End returns where a log ends.
func (m *Memory) End(name string) remote.Position {
	if all := m.Logs[name]; len(all) > 0 {
		return all[len(all)-1].At
	}
	return ""
}

// Versions returns a word for each log.
func (m *Memory) Versions(context.Context) (map[string]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]string{}
	for name := range m.Logs {
		all[name] = "v" + string(m.End(name))
	}
	return all, nil
}

// Read reads logs behind positions.
func (m *Memory) Read(_ context.Context, after map[string]remote.Position, do func(string, remote.Batch) error) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(after)) {
		all := m.Logs[name]
		at := slices.IndexFunc(all, func(b remote.Batch) bool { return b.At == after[name] })
		if at < 0 && after[name] != "" {
			err = errors.Join(err, &remote.Rewritten{Log: name})
			continue
		}
		for _, b := range all[at+1:] {
			if err := do(name, b); err != nil {
				return err
			}
		}
	}
	return err
}

// Append appends all or nothing.
func (m *Memory) Append(_ context.Context, all []remote.Addition) (map[string]remote.Position, error) {
	if m.OnAppend != nil {
		if err := m.OnAppend(); err != nil {
			return nil, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range all {
		if m.End(a.Log) != a.After {
			return nil, remote.ErrMoved
		}
	}
	ends := map[string]remote.Position{}
	for _, a := range all {
		sum := sha256.Sum256(append([]byte(a.After), a.Text...))
		ends[a.Log] = remote.Position(hex.EncodeToString(sum[:]))
		m.Logs[a.Log] = append(m.Logs[a.Log], remote.Batch{Text: a.Text, At: ends[a.Log]})
	}
	if m.IsLost {
		m.IsLost = false
		return nil, errors.New("the answer was lost")
	}
	return ends, nil
}

// Close does nothing.
func (m *Memory) Close() error { return nil }
