package txn

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Removal is a handoff to remove, and the proof that it is kept elsewhere.
type Removal struct {
	eventlog.Pruned
	SHA256 string // of the exported text
}

// Prune removes handoffs. An outcome is why a handoff stays, such as a text that differs from the exported one.
func Prune(ctx context.Context, s *store.Store, all []Removal) (outcomes []error, err error) {
	outcomes = make([]error, len(all))
	err = Locked(ctx, s, func(x *Session) error {
		ledger, err := x.readLedger()
		if err != nil {
			return err
		}
		rows, err := x.rowsOf(all)
		if err != nil {
			return err
		}
		c := &change{Record: journal.Record{Op: "prune"}}
		lives := ledger.Lives("")
		tombstones, err := ReadTombstones(x.State)
		if err != nil {
			return err
		}
		for i, b := range all {
			row := rows[b.HandoffID]
			if row.ID == "" { // an interrupted prune was completed by recovery
				continue
			}
			if outcomes[i] = checkPrunable(row, lives[b.HandoffID]); outcomes[i] == nil {
				outcomes[i] = x.planRemoval(c, b, row)
			}
			if outcomes[i] != nil {
				continue
			}
			c.events = append(c.events, eventlog.Pending{Type: eventlog.TypePrune, Payload: b.Pruned})
			tombstones.Add(b.HandoffID)
		}
		if len(c.events) == 0 {
			return nil
		}
		c.Put = append(c.Put, stateFile(disk.Tombstones, tombstones.Text))
		if err := x.dropArchived(c); err != nil {
			return err
		}
		if err := x.commit(c); err != nil {
			return err
		}
		return x.Checkpoint()
	})
	return outcomes, err
}

// rowsOf returns the rows of the stored handoffs, by id.
func (x *Session) rowsOf(all []Removal) (map[string]index.Row, error) {
	want, rows := make(map[string]bool), make(map[string]index.Row)
	for _, b := range all {
		want[b.HandoffID] = true
	}
	err := store.EachIndex(x.Dir, func(_ string, text []byte) error {
		for _, row := range index.First(text, want) {
			if _, known := rows[row.ID]; !known {
				rows[row.ID] = row
			}
		}
		return nil
	})
	return rows, err
}

// planRemoval adds the files to remove to the change.
func (x *Session) planRemoval(c *change, b Removal, row index.Row) error {
	text, err := x.Dir.ReadFile(row.File, disk.MaxDocument)
	if err != nil {
		return err
	}
	sum := journal.HashOf(text)
	if sum.String() != b.SHA256 {
		return &fault.CorruptError{File: x.Path(row.File), Why: "is not what was exported"}
	}
	c.Unset = append(c.Unset, row.ID)
	c.Gone = append(c.Gone, journal.Gone{Name: journal.Name{Place: journal.Handoffs, File: row.File}, SHA256: sum})
	if text, err := store.ReadSignature(x.Dir, row.ID); err == nil && text != nil {
		name := journal.Name{Place: journal.Signatures, File: disk.SignatureFile(row.ID)}
		c.Gone = append(c.Gone, journal.Gone{Name: name, SHA256: journal.HashOf(text)})
	}
	return nil
}

// dropArchived removes the rows of the change from the archives.
func (x *Session) dropArchived(c *change) error {
	gone := make(map[string]bool)
	for _, id := range c.Unset {
		gone[id] = true
	}
	return store.EachIndex(x.Dir, func(name string, text []byte) error {
		if name != disk.IndexFile && len(index.First(text, gone)) > 0 {
			x.setIndex(c, name, index.DropRows(text, gone))
		}
		return nil
	})
}

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

// checkPrunable checks again, under the lock, the conditions of pruning that may have changed.
func checkPrunable(row index.Row, l eventlog.Life) error {
	switch {
	case !l.Archive.Holds().IsDone():
		return fault.Invalid("", "%s is not archived", row.ID)
	case l.Take.Holds().IsDone() && !l.Done.IsDone():
		return fault.Invalid("", "%s is taken and not done", row.ID)
	}
	return nil
}
