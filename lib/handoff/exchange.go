package handoff

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Writer returns the id of the state directory among those that exchange handoffs, "" if it has none yet.
func (x Exchange) Writer() (string, error) {
	record, err := store.InState(x.s.at, store.ReadMachine)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrNoMachine) {
		err = nil
	}
	return record.Writer, err
}

// FirstSeen returns when a handoff came into this store, as the audit log says: in RFC 3339 with Z, "" for one that was
// taken over without its events.
func (x Exchange) FirstSeen() (func(id string) string, error) {
	known, err := (&txn.Past{Store: x.s.at}).About("")
	return func(id string) string {
		at := known.Of(id).FirstSeen()
		if at.IsZero() {
			return ""
		}
		return at.Format("2006-01-02T15:04:05.000000Z")
	}, err
}

// Consumptions returns the consumed resume tokens, in the order in which they were consumed.
func (x Exchange) Consumptions() ([]Consumption, error) {
	l, err := x.s.Records().Ledger()
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

// Came is what others have done with handoffs that are stored here.
type Came struct {
	Marks, Unread map[string][]Mark // read marks by id, and up to which time marks were taken back
	Acts          []Consumption
}

// TakeOver adds what others have done. Of the marks of one operator the earliest counts that was not taken back; a
// token that is known here stays as it is. It says how many marks and lines of the ledger are new. synced says that
// every replica gets them where this one did, so that the audit log need not tell them. What does not count here is
// left out, see Judge. Its errors are those of MarkRead.
func (x Exchange) TakeOver(ctx context.Context, synced bool, came Came) (newMarks, newActs int, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if len(came.Marks)+len(came.Unread)+len(came.Acts) == 0 {
		return 0, 0, nil
	}
	if _, err := txn.Guard(x.s.at); err != nil {
		return 0, 0, err
	}
	acts := x.s.counting(came.Marks, came.Acts)
	slices.SortStableFunc(acts, func(a, b Consumption) int { // the first marks as read; what is reopened has to have ended
		if a.Act().Reopens() != b.Act().Reopens() {
			return map[bool]int{true: 1, false: -1}[a.Act().Reopens()]
		}
		return index.CompareTimes(a.Time, b.Time)
	})
	err = txn.Locked(ctx, x.s.at, func(x *txn.Session) error {
		x.How.Synced = synced
		if newActs, err = takeTokens(x, acts); err != nil || len(came.Marks)+len(came.Unread) == 0 {
			return err
		}
		newMarks, err = takeMarks(x, came)
		return err
	})
	if err == nil {
		x.s.pinSighted(ctx)
	}
	return newMarks, newActs, err
}

// counting removes the marks that do not count here, and returns the consumptions that do.
func (s *Store) counting(marks map[string][]Mark, tokens []Consumption) []Consumption {
	judge := s.Exchange().Judge()
	ids := make([]string, len(tokens))
	for i, c := range tokens {
		ids[i] = c.HandoffID
	}
	rows, err := s.Exchange().Here(ids)
	for id, list := range marks {
		marks[id] = slices.DeleteFunc(list, func(m Mark) bool { return judge.Mark(m) != nil })
	}
	return slices.DeleteFunc(slices.Clone(tokens), func(c Consumption) bool {
		e := rows[c.HandoffID]
		return err == nil && e.ID != "" && !c.Act().IsNote() && judge.Consumption(c, e) != nil
	})
}

// takeMarks takes over marks that were taken back, and then those that stand.
func takeMarks(x *txn.Session, came Came) (taken int, err error) {
	undone, err := txn.TakenBack(x.State)
	if err != nil {
		return 0, err
	}
	for id, marks := range came.Unread {
		if came.Unread[id] = slices.DeleteFunc(marks, func(m Mark) bool { return undone.Has(id, m) }); len(came.Unread[id]) == 0 {
			delete(came.Unread, id)
		}
		for _, m := range came.Unread[id] {
			undone.Add(id, m)
		}
	}
	for id, marks := range came.Marks {
		came.Marks[id] = slices.DeleteFunc(marks, func(m Mark) bool { return undone.Has(id, m) })
	}
	for _, m := range []txn.Marking{{Want: came.Unread, Undo: true}, {Want: came.Marks, Earliest: true}} {
		if m.Session = x; len(m.Want) == 0 {
			continue
		}
		if err := store.EachIndex(x.Dir, m.File); err != nil {
			return taken, err
		}
		if err := m.Commit(); err != nil {
			return taken, err
		}
		for _, r := range m.Done {
			if r.Status == txn.StatusChanged {
				taken++
			}
		}
	}
	return taken, nil
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
