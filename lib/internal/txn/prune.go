package txn

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Burial is a handoff that goes, and what proves that it is kept elsewhere.
type Burial struct {
	eventlog.Pruned
	SHA256 string // of its stored text, as it was exported; "" where another store has seen to that
}

// Prune removes handoffs that may judges to be past under the lock, by their rows; its error leaves
// one out and is its outcome. What is not stored here gets its tombstone alone. Nothing is removed
// that is not what was exported.
func Prune(ctx context.Context, s *store.Store, all []Burial, may func(row index.Row, life eventlog.Life) error) (outcomes []error, err error) {
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
		lives := Lives(store.AsString(ledger.Text), "")
		tombstones, err := ReadTombstones(x.State)
		if err != nil {
			return err
		}
		var added []string
		for i, b := range all {
			if rows[b.HandoffID].ID == "" && IsTombstoned(tombstones, b.HandoffID) { // an interrupted one was completed just now
				continue
			}
			if outcomes[i] = x.planBurial(c, b, rows[b.HandoffID], func(row index.Row) error { return may(row, lives[b.HandoffID]) }); outcomes[i] != nil {
				continue
			}
			if b.Writer == "" {
				b.Turn = lives[b.HandoffID].Archive.N + 1
			}
			c.events = append(c.events, eventlog.Pending{Type: eventlog.TypePrune, Payload: b.Pruned})
			added = append(added, b.HandoffID)
		}
		if len(c.events) == 0 {
			return nil
		}
		if err := x.bury(c, tombstones, added); err != nil {
			return err
		}
		if err := x.commit(c); err != nil {
			return err
		}
		return x.Checkpoint()
	})
	return outcomes, err
}

// rowsOf returns the rows of those that are stored, by id.
func (x *Session) rowsOf(all []Burial) (map[string]index.Row, error) {
	want, rows := make(map[string]bool), make(map[string]index.Row)
	for _, b := range all {
		want[b.HandoffID] = true
	}
	err := store.EachIndex(x.Dir, func(_ string, text []byte) error {
		for _, row := range rowsOf(text, want) {
			if _, known := rows[row.ID]; !known {
				rows[row.ID] = row
			}
		}
		return nil
	})
	return rows, err
}

// planBurial adds what is removed to the change.
func (x *Session) planBurial(c *change, b Burial, row index.Row, may func(index.Row) error) error {
	if row.ID == "" {
		return nil
	}
	if err := may(row); err != nil {
		return err
	}
	text, err := x.Dir.ReadFile(row.File, disk.MaxDocument)
	if err != nil {
		return err
	}
	sum := journal.HashOf(text)
	if b.SHA256 != "" && sum.String() != b.SHA256 {
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

// bury adds the tombstones to the change, and takes the rows out of the archives.
func (x *Session) bury(c *change, tombstones []byte, ids []string) error {
	known := Tombstoned(tombstones)
	text := slices.Clone(tombstones)
	for _, id := range ids {
		if !known[id] {
			known[id] = true
			text = append(text, id+"\n"...)
		}
	}
	c.Put = append(c.Put, stateFile(disk.Tombstones, text))
	gone := make(map[string]bool)
	for _, id := range c.Unset {
		gone[id] = true
	}
	return store.EachIndex(x.Dir, func(name string, text []byte) error {
		if name != disk.IndexFile && len(rowsOf(text, gone)) > 0 {
			x.setIndex(c, name, index.DropRows(text, gone))
		}
		return nil
	})
}

// ReadTombstones returns the file of tombstones: the ids of all handoffs that ever were pruned, one a
// line. None is nil.
func ReadTombstones(state *disk.Dir) ([]byte, error) {
	if state == nil {
		return nil, nil
	}
	text, err := state.ReadIfThere(disk.Tombstones, disk.MaxLedger)
	return text, store.Odd(filepath.Join(state.Path(), disk.Tombstones), err)
}

// Tombstoned returns the ids in a file of tombstones.
func Tombstoned(tombstones []byte) map[string]bool {
	ids := make(map[string]bool)
	for line := range strings.Lines(string(tombstones)) {
		ids[strings.TrimSuffix(line, "\n")] = true
	}
	return ids
}

// IsTombstoned reports whether a file of tombstones has an id.
func IsTombstoned(tombstones []byte, id string) bool {
	return len(tombstones) > 0 && bytes.Contains(tombstones, []byte(id+"\n"))
}

// A PrunedError says that a document was pruned, and is not stored again. It is of the class
// fault.ErrIntegrity.
type PrunedError struct{ Name, ID string }

func (e *PrunedError) Error() string {
	return store.Prefixed(e.Name) + e.ID + " was pruned, and is not stored again"
}

// Plain is the same, but for the name.
func (e *PrunedError) Plain() string { return e.ID + " was pruned, and is not stored again" }

func (e *PrunedError) Unwrap() error { return fault.ErrIntegrity }

// Hint says what to do next.
func (e *PrunedError) Hint() string { return "add --restore to have it back" }

// CheckPast looks again, under the lock, at what may have changed since a handoff was found to be past.
func CheckPast(row index.Row, l eventlog.Life) error {
	switch {
	case !l.Archive.Holds().IsDone():
		return fault.New(fault.ErrInvalid, "", "%s is not archived", row.ID)
	case l.Take.Holds().IsDone() && !l.Done.IsDone():
		return fault.New(fault.ErrInvalid, "", "%s is taken and not done", row.ID)
	}
	return nil
}
