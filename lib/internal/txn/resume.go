package txn

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A ConsumedError is the error for a packet that was resumed before. It wraps no class, since nothing is
// wrong with the store.
type ConsumedError struct{ By eventlog.Consumption }

// Error names who consumed the token, and when.
func (e *ConsumedError) Error() string {
	return fmt.Sprintf("%[2]s resumed %[1]s at %[3]s; a token works once", e.By.HandoffID, e.By.Operator, e.By.Time)
}

// Plain omits the operator.
func (e *ConsumedError) Plain() string { return "the packet was resumed before; a token works once" }

// Hint returns what to do next.
func (e *ConsumedError) Hint() string {
	return "ask for a new packet"
}

// Verdict returns the verdict of check.
func (e *ConsumedError) Verdict() string { return "CRITICAL" }

// resume returns the lines that a resume needs. A resume also takes the handoff.
func (l *Ledger) resume(c eventlog.Consumption, life eventlog.Life) ([]eventlog.Consumption, error) {
	taken := life.Take.Holds()
	if by := l.find(c.Token); by != nil {
		return nil, &ConsumedError{*by}
	}
	isOthers := taken.IsDone() && (taken.Operator != c.Operator || isOtherSession(taken, c))
	switch {
	case life.Done.IsDone() || isOthers:
		return nil, newTakenError(c, life)
	case taken.IsDone():
		return []eventlog.Consumption{c}, nil
	}
	return []eventlog.Consumption{nthAct(c, eventlog.ActTake, life.Take.N), c}, nil
}

// consume adds lines to the ledger as one change. Own ones are actions of this replica, and bring read marks, or take
// them back. Those of others bring none: their replicas also publish the marks.
func (x *Session) consume(op string, own bool, all ...eventlog.Consumption) (err error) {
	c := &change{Record: journal.Record{Op: op}}
	marks, back := make(map[int]index.Mark), &Marking{Session: x, Undo: true}
	if own {
		err = x.markAll(c, marks, back, all)
	}
	if err != nil {
		return err
	}
	for i, one := range all {
		line, err := LedgerLine(one)
		if err != nil {
			return err
		}
		c.LedgerText = append(c.LedgerText, line...)
		mark, isMarked := marks[i]
		if c.events = append(c.events, one.Event(isMarked, x.How)); isMarked {
			c.events = append(c.events, marked(one.HandoffID, mark, x.How))
		}
	}
	for _, r := range back.Done {
		c.events = append(c.events, back.event(r))
	}
	return x.commit(c)
}

// markAll plans the read marks that rows lack, by the numbers of their lines. If a handoff waits for its recipients
// again after its last line, it takes back their marks instead. It reads the table once.
func (x *Session) markAll(c *change, marks map[int]index.Mark, back *Marking, all []eventlog.Consumption) error {
	want := make(map[string][]int)
	for i, one := range all {
		if act := one.Act(); act == "" || act.Marks() || act.Waits() {
			want[one.HandoffID] = append(want[one.HandoffID], i)
		}
	}
	if len(want) == 0 {
		return nil
	}
	ledger, err := x.readLedger()
	if err != nil {
		return err
	}
	undone, err := TakenBack(x.State, recentBytes)
	if err != nil {
		return err
	}
	err = store.EachIndex(x.Dir, func(name string, text []byte) error {
		edits := make(map[string]index.Row)
		for _, row := range index.First(text, want) {
			before, lines := row.ReadBy, want[row.ID]
			last := all[lines[len(lines)-1]]
			for _, i := range lines {
				if mark := (index.Mark{Operator: all[i].Operator, Time: all[i].Time}); !last.Act().Waits() &&
					!all[i].Act().Waits() && !row.IsReadBy(mark.Operator) {
					marks[i] = undone.after(row.ID, mark)
					row = row.WithMark(marks[i])
				}
			}
			if last.Act().Waits() {
				back.wait(&row, last.Time, ledger.Life(row.ID), undone)
			}
			if row.ReadBy != before {
				edits[row.ID] = row
			}
			delete(want, row.ID)
		}
		if len(edits) > 0 {
			x.setRows(c, name, text, edits)
		}
		if len(want) == 0 {
			return fs.SkipAll
		}
		return nil
	})
	if err == nil && len(want) > 0 {
		err = store.UnknownID(slices.Min(slices.Collect(maps.Keys(want))), x.Opt.Dir)
	}
	return err
}

// wait plans to remove the read marks of the recipients of a handoff, so that it is unread again. A recipient who took
// or finished it has read it. That mark may be known to another replica only, and is removed too.
func (m *Marking) wait(row *index.Row, from string, life eventlog.Life, undone Undone) {
	marks := row.Marks()
	if m.Opt.Git.IsShared() {
		marks = append(marks, MarksOf(life)...)
	}
	until := make(Undone)
	for _, mark := range marks {
		until.Add("", mark)
		until.Add("", index.Mark{Operator: mark.Operator, Time: from})
	}
	byName := func(a, b index.Mark) int { return strings.Compare(a.Operator, b.Operator) }
	for _, mark := range slices.SortedFunc(maps.Values(until), byName) {
		if row.IsTo(mark.Operator) {
			m.takeBack(row, undone.after(row.ID, mark))
		}
	}
}

// MarksOf returns the read marks that takes and ends of a handoff have made, each with the time of its action.
func MarksOf(life eventlog.Life) (marks []index.Mark) {
	for _, d := range life.Had() {
		marks = append(marks, index.Mark{Operator: d.Operator, Time: d.Time})
	}
	return marks
}
