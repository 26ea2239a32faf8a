package txn

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/document"
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

// consume adds lines to the ledger as one change, with the read marks that they bring. A handoff that is released or
// reopened waits for its recipients again: their marks are taken back. here means that this replica performs the
// actions; otherwise others did, and marks that are later stay.
func (x *Session) consume(op string, here bool, all ...eventlog.Consumption) error {
	c := &change{Record: journal.Record{Op: op}}
	m := consumption{all: all, marks: make(map[int]index.Mark),
		back: Marking{Session: x, Undo: true, Later: here}}
	if err := m.plan(c); err != nil {
		return err
	}
	for i, one := range all {
		line, err := LedgerLine(one)
		if err != nil {
			return err
		}
		c.LedgerText = append(c.LedgerText, line...)
		mark, isMarked := m.marks[i]
		if c.events = append(c.events, one.Event(isMarked, x.How)); isMarked {
			c.events = append(c.events, marked(one.HandoffID, mark, x.How))
		}
	}
	for _, r := range m.back.Done {
		c.events = append(c.events, m.back.event(r))
	}
	return x.commit(c)
}

// A consumption plans the read marks that lines of the ledger bring.
type consumption struct {
	all    []eventlog.Consumption
	marks  map[int]index.Mark // the new ones, by the numbers of their lines
	back   Marking            // those that are taken back
	undone Undone             // those that were before
}

// plan plans the marks of all lines. It reads the table once.
func (m *consumption) plan(c *change) (err error) {
	want, x := make(map[string][]int), m.back.Session
	for i, one := range m.all {
		if act := one.Act(); act == "" || act.Marks() || act.Waits() {
			want[one.HandoffID] = append(want[one.HandoffID], i)
		}
	}
	if len(want) == 0 {
		return nil
	}
	last := int64(recentBytes)
	if !m.back.Later { // other replicas report the marks that count
		last = math.MaxInt64
	}
	if m.undone, err = TakenBack(x.State, last); err != nil {
		return err
	}
	err = editRows(x, c, want, m.mark)
	if err == nil && len(want) > 0 {
		err = store.UnknownID(slices.Min(slices.Collect(maps.Keys(want))), x.Opt.Dir)
	}
	return err
}

// mark plans the marks of a row, whose lines have the given numbers.
func (m *consumption) mark(row *index.Row, numbers []int) {
	isReplaced := func(end eventlog.Consumption) bool { // by the take of somebody who takes over
		return slices.ContainsFunc(numbers, func(i int) bool {
			return m.all[i].Over != "" && m.all[i].Time == end.Time
		})
	}
	for _, i := range numbers {
		if one := m.all[i]; one.Act().Waits() && !isReplaced(one) {
			m.wait(row, one.Time)
		}
	}
	for _, i := range numbers {
		mark := index.Mark{Operator: m.all[i].Operator, Time: m.all[i].Time}
		if m.all[i].Act().Waits() || row.IsReadBy(mark.Operator) || !m.back.Later && m.undone.Has(row.ID, mark) {
			continue
		}
		m.marks[i] = m.undone.after(row.ID, mark)
		*row = row.WithMark(m.marks[i])
	}
}

// wait plans that a handoff is unread for its recipients from a time on. If another replica says so, older marks that
// arrive later must not count either.
func (m *consumption) wait(row *index.Row, from string) {
	first := len(m.back.Done)
	isPlanned := m.back.Later || row.To == document.Next
	for _, mark := range row.Marks() {
		if row.IsTo(mark.Operator) {
			m.back.takeBack(row, index.Mark{Operator: mark.Operator, Time: from})
			isPlanned = isPlanned || mark.Operator == row.To
		}
	}
	if !isPlanned {
		m.back.takeBack(row, index.Mark{Operator: row.To, Time: from})
	}
	for _, r := range m.back.Done[first:] {
		m.undone.Add(r.ID, index.Mark{Operator: r.Operator, Time: r.Time})
	}
}
