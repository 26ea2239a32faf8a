package txn

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/canon"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// prune takes handoffs out of the store for good. The replacement of the file of tombstones commits
// it, which lists the ids of all that ever were; rows and then files follow, so that no row lists a
// file that is gone.
var prune = Operation{Name: "prune", committed: tombstonesAreThere, redo: putTombstones, settle: bury}

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
		ledger, err := ReadLedger(x.State)
		if err != nil {
			return err
		}
		rows, err := x.rowsOf(all)
		if err != nil {
			return err
		}
		st := step{op: &prune}
		lives := Lives(store.AsString(ledger.Text), "")
		tombstones, err := ReadTombstones(x.State)
		if err != nil {
			return err
		}
		for i, b := range all {
			if rows[b.HandoffID].ID == "" && IsTombstoned(tombstones, b.HandoffID) { // an interrupted one was completed just now
				continue
			}
			if outcomes[i] = x.planBurial(&st, b, rows[b.HandoffID], func(row index.Row) error { return may(row, lives[b.HandoffID]) }); outcomes[i] != nil {
				continue
			}
			if b.Writer == "" {
				b.Turn = lives[b.HandoffID].Archive.N + 1
			}
			st.events = append(st.events, eventlog.Pending{Type: eventlog.TypePrune, Payload: b.Pruned})
		}
		if len(st.events) == 0 {
			return nil
		}
		return x.apply(st)
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

// planBurial adds what is removed to the intent.
func (x *Session) planBurial(st *step, b Burial, row index.Row, may func(index.Row) error) error {
	body := Body{ID: b.HandoffID}
	if row.ID != "" {
		if err := may(row); err != nil {
			return err
		}
		sum, err := x.hashFile(row.File)
		if err != nil {
			return err
		}
		if b.SHA256 != "" && sum != b.SHA256 {
			return &fault.CorruptError{File: x.Path(row.File), Why: "is not what was exported"}
		}
		body.File, body.SHA256, body.Row = row.File, sum, Row{row}
	}
	st.intent.Removed = append(st.intent.Removed, body)
	return nil
}

// ReadTombstones returns the file of tombstones: the ids of all handoffs that ever were pruned, one a
// line. None is nil.
func ReadTombstones(state *durable.Dir) ([]byte, error) {
	if state == nil {
		return nil, nil
	}
	text, err := state.ReadIfThere(layout.Tombstones, layout.MaxLedger)
	return text, store.Odd(filepath.Join(state.Path(), layout.Tombstones), err)
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

// putTombstones writes the file with the ids that it lacks.
func putTombstones(x *Session, intent *Intent) error {
	old, err := ReadTombstones(x.State)
	if err != nil {
		return err
	}
	text, known := slices.Clone(old), Tombstoned(old)
	for _, body := range intent.Removed {
		if !known[body.ID] {
			text = append(text, body.ID+"\n"...)
		}
	}
	return x.SetTombstones(text)
}

// SetTombstones writes the file of tombstones.
func (x *Session) SetTombstones(text []byte) error {
	return x.State.ReplaceNow(layout.Tombstones, text, 0o600)
}

func tombstonesAreThere(x *Session, intent *Intent) (bool, error) {
	text, err := ReadTombstones(x.State)
	for _, body := range intent.Removed {
		if !IsTombstoned(text, body.ID) {
			return false, err
		}
	}
	return err == nil, err
}

// bury removes the rows of an intent, and then their files and signatures, as far as these are what
// the intent says. The tombstones are written again: an earlier sync of them may not have come about.
func bury(x *Session, intent *Intent) error {
	if err := putTombstones(x, intent); err != nil {
		return err
	}
	gone := make(map[string]bool)
	for _, body := range intent.Removed {
		if body.File != "" {
			gone[body.ID] = true
		}
	}
	err := store.EachIndex(x.Dir, func(name string, text []byte) error {
		if len(rowsOf(text, gone)) == 0 {
			return nil
		}
		return x.replaceIndex(name, text, index.DropRows(text, gone))
	})
	if err != nil {
		return err
	}
	for _, body := range intent.Removed {
		if err := x.removeBody(body); err != nil {
			return err
		}
	}
	if err := x.removeSignatures(gone); err != nil {
		return err
	}
	return x.Dir.Sync()
}

func (x *Session) removeBody(body Body) error {
	if body.File == "" {
		return nil
	}
	text, err := x.Dir.ReadIfThere(body.File, layout.MaxDocument)
	if err != nil || text == nil || canon.SHA256Hex(text) != body.SHA256 {
		return err // somebody has put something else there
	}
	return x.Dir.Remove(body.File)
}

func (x *Session) removeSignatures(gone map[string]bool) error {
	d, err := x.Dir.OpenDir(layout.Signatures)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	for id := range gone {
		if err := d.Remove(layout.SignatureFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return d.Sync()
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
