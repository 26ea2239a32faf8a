package repair

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// mendTombstones gives the file of tombstones the ids that the audit log records as pruned, and drops
// what is no id. What only the file has stays: it may be older than the log.
func (m *mending) mendTombstones() error {
	old, err := txn.ReadTombstones(m.State)
	if err != nil {
		return err
	}
	var text strings.Builder
	known := make(map[string]bool)
	add := func(id string) {
		if form.IsID(id) && !known[id] {
			known[id] = true
			text.WriteString(id + "\n")
		}
	}
	for line := range strings.Lines(string(old)) {
		add(strings.TrimSuffix(line, "\n"))
	}
	lacking := make(map[string]bool)
	for _, facts := range []*eventlog.Facts{m.found.Log.Facts, m.found.Log.Unproven} {
		for id, h := range facts.Handoffs() {
			if h.Pruned && !known[id] {
				lacking[id] = true
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(lacking)) {
		add(id)
	}
	if text.String() == string(old) {
		return nil
	}
	if err := m.SetTombstones([]byte(text.String())); err != nil {
		return err
	}
	m.did("wrote the tombstones: %d ids added from the audit log", len(lacking))
	return nil
}
