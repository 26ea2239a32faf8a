package txn

import (
	"fmt"
	"io/fs"

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

// Resume consumes the token of c. A resume also takes the handoff. If other clones may learn of it, or the
// handoff was released before, the ledger gets a line for the take too.
func (x *Session) Resume(c eventlog.Consumption) error {
	ledger, err := x.readLedger()
	if err != nil {
		return err
	}
	life, err := ledger.checkResume(c)
	if err != nil {
		return err
	}
	if !life.Take.Holds().IsDone() && (x.Opt.Git.IsShared() || life.Take.N > 0) {
		return x.consume("resume", true, nthAct(c, eventlog.ActTake, life.Take.N), c)
	}
	return x.consume("resume", true, c)
}

// checkResume returns a *ConsumedError or a *TakenError if c cannot be consumed. life is what happened to the
// handoff.
func (l *Ledger) checkResume(c eventlog.Consumption) (life eventlog.Life, err error) {
	life = l.Life(c.HandoffID)
	taken := life.Take.Holds()
	if by := l.find(c.Token); by != nil {
		return life, &ConsumedError{*by}
	}
	isOthers := taken.IsDone() && (taken.Operator != c.Operator || isOtherSession(taken, c))
	if life.Done.IsDone() || isOthers {
		return life, newTakenError(c, life)
	}
	return life, nil
}

// consume adds lines about one handoff to the ledger. If marks is set, it adds a read mark that is missing.
func (x *Session) consume(op string, marks bool, all ...eventlog.Consumption) error {
	c := &change{Record: journal.Record{Op: op}}
	last := all[len(all)-1]
	file, text := "", []byte(nil)
	if marks {
		var err error
		if file, text, err = x.unmarked(last); err != nil {
			return err
		}
		if x.How.Synced && file != "" { // other replicas report the marks that count
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

// unmarked returns the index file whose row lacks the read mark, or "" if the row has it.
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
