package txn

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// resume consumes a token: its line in the ledger commits it, the read mark follows.
var resume = Operation{Name: "resume", committed: tokenIsThere, redo: finishResume, settle: finishResume}

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

// Resume consumes the token of c. Where the handoff was taken before and given back, it is taken again
// first: the ledger does not tell from the token alone that this resume came after that.
func (x *Session) Resume(c eventlog.Consumption) error {
	ledger, err := ReadLedger(x.State)
	if err != nil {
		return err
	}
	life, err := ledger.mayResume(c)
	if err != nil {
		return err
	}
	if life.Take.N > 0 && !life.Take.Holds().IsDone() {
		take := eventlog.Consumption{Token: eventlog.ActTake.Key(c.HandoffID, life.Take.N), HandoffID: c.HandoffID, Operator: c.Operator, Session: c.Session, Time: c.Time}
		if err := x.consume(&act, ledger, take, true); err != nil {
			return err
		}
		if ledger, err = ReadLedger(x.State); err != nil {
			return err
		}
	}
	return x.consume(&resume, ledger, c, true)
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

// consume adds a line to the ledger, and gives the handoff a read mark if it lacks one and marks is set.
func (x *Session) consume(op *Operation, ledger *Ledger, c eventlog.Consumption, marks bool) (err error) {
	st := step{op: op, intent: Intent{LedgerOffset: ledger.end()}}
	if marks {
		if st.intent.Index, err = x.unmarked(c); err != nil {
			return err
		}
	}
	if st.intent.LedgerLine, err = LedgerLine(c); err != nil {
		return err
	}
	marked := st.intent.Index != ""
	st.events = []eventlog.Pending{c.Event(marked, x.How)}
	if marked {
		st.mark(c.HandoffID, index.Mark{Operator: c.Operator, Time: c.Time}, x.How)
	}
	st.commit = func() error { return x.putToken(&st.intent) }
	return x.apply(st)
}

// unmarked returns the index file whose row lacks the read mark, "" if the row has it.
func (x *Session) unmarked(c eventlog.Consumption) (file string, err error) {
	found := false
	err = store.EachIndex(x.Dir, func(name string, text []byte) error {
		l, ok := index.Find(text, c.HandoffID)
		if !ok {
			return nil
		}
		if found = true; !l.Row.IsReadBy(c.Operator) {
			file = name
		}
		return fs.SkipAll
	})
	if err == nil && !found {
		err = store.UnknownID(c.HandoffID, x.Opt.Dir)
	}
	return file, err
}

// putToken is the commit: the line stands in the ledger and is synced, and so is the name of the ledger.
func (x *Session) putToken(intent *Intent) error {
	ledger, err := x.openLedger(true)
	if err != nil {
		return err
	}
	defer ledger.Close()
	if err := x.cutLedger(ledger, intent); err != nil {
		return err
	}
	if err := ledger.Put(intent.LedgerLine, intent.LedgerOffset); err != nil {
		return err
	}
	return x.State.Sync()
}

// openLedger opens the ledger to append to it.
func (x *Session) openLedger(make bool) (*durable.Log, error) {
	ledger, err := x.State.OpenLog(layout.Ledger, make)
	return ledger, store.Odd(filepath.Join(x.State.Path(), layout.Ledger), err)
}

// cutLedger removes a torn line that is not the beginning of the intent's.
func (x *Session) cutLedger(ledger *durable.Log, intent *Intent) error {
	info, err := ledger.Stat()
	if err != nil {
		return err
	}
	if info.Size() < intent.LedgerOffset {
		return &fault.CorruptError{File: ledger.Name(), Why: "is shorter than it was before the interrupted change"}
	}
	tail, err := ledgerTail(ledger, intent)
	if err != nil || durable.Begins(intent.LedgerLine, tail) || bytes.HasPrefix(tail, []byte(intent.LedgerLine)) {
		return err
	}
	if bytes.ContainsRune(tail, '\n') {
		return &fault.CorruptError{File: ledger.Name(), Why: "has whole lines where the interrupted change would have put its own"}
	}
	return ledger.Truncate(intent.LedgerOffset)
}

// ledgerTail returns what stands where the intent puts its line: no more than that as a rule.
func ledgerTail(ledger *durable.Log, intent *Intent) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(ledger, intent.LedgerOffset, layout.MaxIntent))
}

// tokenIsThere reports whether the line of an intent is in the ledger, at the place where it was to be
// appended.
func tokenIsThere(x *Session, intent *Intent) (bool, error) {
	ledger, err := x.openLedger(false)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer ledger.Close()
	tail, err := ledgerTail(ledger, intent)
	return bytes.HasPrefix(tail, []byte(intent.LedgerLine)), err
}

// finishResume brings about what follows the commit of a resume. The line is synced again: an earlier
// sync of it may have failed.
func finishResume(x *Session, intent *Intent) error {
	if err := x.putToken(intent); err != nil || len(intent.Marks) == 0 {
		return err
	}
	there, err := marksAreThere(x, intent)
	if err != nil || there {
		return err
	}
	return setMarks(x, intent)
}
