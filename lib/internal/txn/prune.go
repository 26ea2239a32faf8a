package txn

import (
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Tombstones are the ids of all pruned handoffs.
type Tombstones struct {
	Text []byte // their file: an id per line
	IDs  map[string]bool
}

// ReadTombstones reads the file of tombstones. There are none without such a file, or without a state directory.
func ReadTombstones(state *disk.Dir) (t Tombstones, err error) {
	t.IDs = make(map[string]bool)
	if state == nil {
		return t, nil
	}
	t.Text, err = state.ReadIfThere(disk.Tombstones, disk.MaxLedger)
	for line := range strings.Lines(string(t.Text)) {
		t.IDs[strings.TrimSuffix(line, "\n")] = true
	}
	return t, store.AsCorrupt(filepath.Join(state.Path(), disk.Tombstones), err)
}

// Add adds an id, unless it is known or malformed.
func (t *Tombstones) Add(id string) {
	if form.IsID(id) && !t.IDs[id] {
		t.IDs[id], t.Text = true, append(t.Text, id+"\n"...)
	}
}
