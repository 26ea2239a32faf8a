package handoff

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/machine"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Writer returns the id of the state directory among those that exchange handoffs, "" if it has none yet.
func (s *Store) Writer() (string, error) {
	record, err := store.InState(s.at, store.ReadMachine)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, machine.ErrNoMachine) {
		err = nil
	}
	return record.Writer, err
}

// FirstSeen returns when a handoff came into this store, as the audit log says: in RFC 3339 with Z, "" for one that was
// taken over without its events.
func (s *Store) FirstSeen() (func(id string) string, error) {
	known, err := (&txn.Past{Store: s.at}).About("")
	return func(id string) string {
		at := known.Of(id).FirstSeen()
		if at.IsZero() {
			return ""
		}
		return at.Format("2006-01-02T15:04:05.000000Z")
	}, err
}

// Consumptions returns the consumed resume tokens, in the order in which they were consumed.
func (s *Store) Consumptions() ([]Consumption, error) {
	l, err := s.Ledger()
	if err != nil {
		return nil, err
	}
	var all []Consumption
	for _, line := range l.Lines() {
		if c, ok := txn.ParseConsumption(line); ok {
			all = append(all, c)
		}
	}
	return all, nil
}

// TakeOver adds the read marks, by id, and the consumed tokens that another store has of handoffs that
// are stored here. Of the marks of one operator the earliest counts; a token that is known here stays
// as it is. It says how many of each are new, and leaves in marks those of handoffs that are not here.
// synced says that every replica gets them where this one did, so that the audit log need not tell
// them. What does not count here is left out, see Judge. Its errors are those of MarkRead.
func (s *Store) TakeOver(ctx context.Context, synced bool, marks map[string][]Mark, tokens []Consumption) (newMarks, newTokens int, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if len(marks)+len(tokens) == 0 {
		return 0, 0, nil
	}
	if _, err := txn.Guard(s.at); err != nil {
		return 0, 0, err
	}
	tokens = s.counting(marks, tokens)
	slices.SortStableFunc(tokens, func(a, b Consumption) int { return index.CompareTimes(a.Time, b.Time) }) // the first marks as read
	err = txn.Locked(ctx, s.at, func(x *txn.Session) error {
		x.How.Synced = synced
		if newTokens, err = takeTokens(x, tokens); err != nil || len(marks) == 0 {
			return err
		}
		m := txn.Marking{Session: x, Want: marks, Earliest: true}
		if err := store.EachIndex(x.Dir, m.File); err != nil {
			return err
		}
		if err := m.Commit(); err != nil {
			return err
		}
		for _, r := range m.Done {
			if r.Status == txn.StatusChanged {
				newMarks++
			}
		}
		return nil
	})
	if err == nil {
		s.pinSighted(ctx)
	}
	return newMarks, newTokens, err
}

// counting removes the marks that do not count here, and returns the consumptions that do.
func (s *Store) counting(marks map[string][]Mark, tokens []Consumption) []Consumption {
	judge := s.Judge()
	ids := make([]string, len(tokens))
	for i, c := range tokens {
		ids[i] = c.HandoffID
	}
	rows, err := s.Here(ids)
	for id, list := range marks {
		marks[id] = slices.DeleteFunc(list, func(m Mark) bool { return judge.Mark(m) != nil })
	}
	return slices.DeleteFunc(slices.Clone(tokens), func(c Consumption) bool {
		e := rows[c.HandoffID]
		return err == nil && e.ID != "" && !c.Act().IsNote() && judge.Consumption(c, e) != nil
	})
}

func takeTokens(x *txn.Session, tokens []Consumption) (taken int, err error) {
	for _, c := range tokens {
		isNew, err := x.TakeOverToken(c)
		if err != nil {
			return taken, err
		}
		if isNew {
			taken++
		}
	}
	return taken, nil
}
