package handoff

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// Writer returns the id of this replica, such as w-0123456789abcdef, or "" if it has none yet.
func (x Exchange) Writer() (string, error) {
	record, err := store.InState(x.s.at, store.ReadMachine)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, disk.ErrNoMachine) {
		err = nil
	}
	return record.Writer, err
}

// Consumptions returns the used resume tokens and the actions of the ledger, in their order: all of them, or those on
// some handoffs. The error is ErrIntegrity if the ledger is damaged.
func (x Exchange) Consumptions(ids ...string) (all []Consumption, err error) {
	l, err := x.s.Records().Ledger()
	if err != nil {
		return nil, err
	}
	isOther := func(line []byte) bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return bytes.Contains(line, []byte(id)) })
	}
	for _, line := range l.Lines() {
		if len(ids) > 0 && isOther(line) {
			continue
		}
		c, ok := txn.ParseConsumption(line)
		if ok && (len(ids) == 0 || slices.Contains(ids, c.HandoffID)) {
			all = append(all, c)
		}
	}
	return all, nil
}

// Received is what other replicas report about handoffs that are stored here.
// Marks are read marks by handoff id. In Unread, each mark has the time up to which its operator's marks are undone.
// Acts are lines of their ledgers. Own are lines that this replica has claimed itself, and was killed before it
// recorded them.
type Received struct {
	Marks, Unread map[string][]Mark
	Acts, Own     []Consumption
}

// TakeOver adds what other replicas report, and returns how many marks and ledger lines are new. For each operator
// the earliest mark that was not undone counts. A token that is known here keeps its line. synced means that each
// replica receives the same reports, so that the audit log need not repeat them. Reports that do not count here are
// left out; see Judge. Errors are those of MarkRead.
func (x Exchange) TakeOver(ctx context.Context, synced bool, came Received) (newMarks, newActs int, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if len(came.Marks)+len(came.Unread)+len(came.Acts)+len(came.Own) == 0 {
		return 0, 0, nil
	}
	if _, err := txn.Guard(x.s.at); err != nil {
		return 0, 0, err
	}
	rows, acts := x.s.dropRefused(came.Marks, came.Acts)
	// the first action marks as read; reopening needs something that is done
	slices.SortStableFunc(acts, func(a, b Consumption) int {
		if a.Act().Reopens() != b.Act().Reopens() {
			return map[bool]int{true: 1, false: -1}[a.Act().Reopens()]
		}
		return index.CompareTimes(a.Time, b.Time)
	})
	err = txn.Locked(ctx, x.s.at, func(x *txn.Session) error {
		x.How.Synced = synced
		isNew, err := x.TakeOverTokens(acts, false)
		if err == nil && len(came.Marks)+len(came.Unread) > 0 {
			newMarks, err = takeMarks(x, came)
		}
		x.How.Synced = false
		if err == nil {
			err = waitAgain(x, rows, acts, isNew)
		}
		if err == nil && len(came.Own) > 0 {
			var more []bool
			more, err = x.TakeOverTokens(came.Own, true)
			isNew = append(isNew, more...)
		}
		for _, is := range isNew {
			if is && err == nil {
				newActs++
			}
		}
		return err
	})
	if err == nil {
		x.s.pinSighted(ctx)
	}
	return newMarks, newActs, err
}

// dropRefused removes the marks that do not count here, and returns the consumptions that do, with the entries of their
// handoffs.
func (s *Store) dropRefused(marks map[string][]Mark, tokens []Consumption) (map[string]Entry, []Consumption) {
	judge := s.Exchange().Judge()
	ids := make([]string, len(tokens))
	for i, c := range tokens {
		ids[i] = c.HandoffID
	}
	rows, err := s.Exchange().Here(ids)
	for id, list := range marks {
		marks[id] = slices.DeleteFunc(list, func(m Mark) bool { return judge.Mark(m) != nil })
	}
	return rows, slices.DeleteFunc(slices.Clone(tokens), func(c Consumption) bool {
		e := rows[c.HandoffID]
		return err == nil && e.ID != "" && !c.Act().IsNote() && judge.Consumption(c, e) != nil
	})
}

// waitAgain takes back the read marks of those who had what others have given back or reopened: it waits for them
// again. The replica where that was done may not know the marks. Marks that were made later stay.
func waitAgain(x *txn.Session, rows map[string]Entry, acts []Consumption, isNew []bool) error {
	from := make(map[string]string)
	for i, c := range acts {
		if isNew[i] && c.Act().Waits() {
			from[c.HandoffID] = max(from[c.HandoffID], c.Time)
		}
	}
	if len(from) == 0 {
		return nil
	}
	lives, err := txn.ReadLives(x.State, "")
	if err != nil {
		return err
	}
	m := &txn.Marking{Session: x, Want: make(map[string][]Mark), Undo: true, Exact: true}
	for id, at := range from {
		if lives[id].Take.Holds().IsDone() || lives[id].Done.IsDone() {
			continue
		}
		for _, mark := range txn.MarksOf(lives[id]) {
			if e := rows[id]; e.IsTo(mark.Operator) {
				m.Want[id] = append(m.Want[id], Mark{Operator: mark.Operator, Time: max(at, mark.Time)})
			}
		}
	}
	if err := store.EachIndex(x.Dir, m.File); err != nil {
		return err
	}
	return m.Commit()
}

// takeMarks applies undone marks first, and then the others.
func takeMarks(x *txn.Session, came Received) (taken int, err error) {
	undone, err := txn.TakenBack(x.State, math.MaxInt64)
	if err != nil {
		return 0, err
	}
	for id, marks := range came.Unread {
		if came.Unread[id] = slices.DeleteFunc(marks,
			func(m Mark) bool { return undone.Has(id, m) }); len(came.Unread[id]) == 0 {
			delete(came.Unread, id)
		}
		for _, m := range came.Unread[id] {
			undone.Add(id, m)
		}
	}
	for id, marks := range came.Marks {
		came.Marks[id] = slices.DeleteFunc(marks, func(m Mark) bool { return undone.Has(id, m) })
	}
	back := txn.Marking{Want: came.Unread, Undo: true, Exact: x.How.Synced}
	for _, m := range []txn.Marking{back, {Want: came.Marks, Earliest: true}} {
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
