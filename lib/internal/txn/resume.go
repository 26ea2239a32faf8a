package txn

import (
	"fmt"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A ConsumedError says that the work was resumed before. It wraps no class: nothing is wrong with the store.
type ConsumedError struct{ By eventlog.Consumption }

// Error names who consumed the token, and when.
func (e *ConsumedError) Error() string {
	return fmt.Sprintf("the resume token of %s was consumed before, by %s at %s", e.By.HandoffID, e.By.Operator, e.By.Time)
}

// Plain does not say by whom.
func (e *ConsumedError) Plain() string { return "the resume token was consumed before" }

// Hint says what to do next.
func (e *ConsumedError) Hint() string {
	return "find out what was done since; a new packet with a new token is needed to resume again"
}

// Verdict is that of check.
func (e *ConsumedError) Verdict() string { return "CRITICAL" }

// Resume consumes the token of c. Who resumes has taken the handoff: where other clones may hear of it, or
// somebody has given it back, there is a line for that too.
func (x *Session) Resume(c eventlog.Consumption) error {
	ledger, err := x.readLedger()
	if err != nil {
		return err
	}
	life, err := ledger.mayResume(c)
	if err != nil {
		return err
	}
	if !life.Take.Holds().IsDone() && (x.Opt.Git.IsShared() || life.Take.N > 0) {
		return x.consume("resume", true, as(c, eventlog.ActTake, life.Take.N), c)
	}
	return x.consume("resume", true, c)
}

// mayResume returns a *ConsumedError or a *TakenError if c may not be, and what
// became of the handoff.
func (l *Ledger) mayResume(c eventlog.Consumption) (life eventlog.Life, err error) {
	by, err := l.consumed(c.Token)
	if err == nil && by != nil {
		err = &ConsumedError{*by}
	}
	if err == nil {
		life, err = l.Life(c.HandoffID)
	}
	if err == nil && (life.Done.IsDone() || life.Take.Holds().IsDone() && life.Take.Holds().Operator != c.Operator) {
		err = newTakenError(c.HandoffID, life)
	}
	return life, err
}

// consume adds lines about one handoff to the ledger, and gives it a read mark if it lacks one and marks is set.
func (x *Session) consume(op string, marks bool, all ...eventlog.Consumption) error {
	c := &change{Record: journal.Record{Op: op}}
	last := all[len(all)-1]
	file, text := "", []byte(nil)
	if marks {
		var err error
		if file, text, err = x.unmarked(last); err != nil {
			return err
		}
		if x.How.Synced && file != "" { // others tell of marks that count
			undone, err := TakenBack(x.State)
			if err != nil {
				return err
			}
			if undone.Has(last.HandoffID, index.Mark{Operator: last.Operator, Time: last.Time}) {
				file = ""
			}
		}
	}
	for i, one := range all {
		line, err := LedgerLine(one)
		if err != nil {
			return err
		}
		c.LedgerText = append(c.LedgerText, line...)
		c.events = append(c.events, one.Event(file != "" && i == len(all)-1, x.How))
	}
	if file != "" {
		mark, err := x.NewMark(index.Mark{Operator: last.Operator, Time: last.Time}, last.HandoffID)
		if err != nil {
			return err
		}
		l, _ := index.Find(text, last.HandoffID)
		x.setRows(c, file, text, map[string]index.Row{last.HandoffID: l.Row.WithMark(mark)})
		c.events = append(c.events, marked(last.HandoffID, mark, x.How))
	}
	return x.commit(c)
}

// unmarked returns the index file whose row lacks the read mark, "" if the row has it.
func (x *Session) unmarked(c eventlog.Consumption) (file string, text []byte, err error) {
	found := false
	err = store.EachIndex(x.Dir, func(name string, in []byte) error {
		l, ok := index.Find(in, c.HandoffID)
		if !ok {
			return nil
		}
		if found = true; !l.Row.IsReadBy(c.Operator) {
			file, text = name, in
		}
		return fs.SkipAll
	})
	if err == nil && !found {
		err = store.UnknownID(c.HandoffID, x.Opt.Dir)
	}
	return file, text, err
}
