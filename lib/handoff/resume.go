package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// A Consumption is the line of the ledger for a token that was consumed.
type Consumption struct {
	Token     string `json:"token"` // a token of another form than resume tokens have is its sha256:…; none is the handoff_id
	HandoffID string `json:"handoff_id"`
	Operator  string `json:"operator_id"`
	Time      string `json:"ts_utc"`
	Accepted  string `json:"accepted,omitempty"` // the classification that was overridden
	Reason    string `json:"reason,omitempty"`   // why
}

type resumePayload struct {
	Consumption
	Marked bool `json:"marked"` // the resume set the read mark
}

// A ConsumedError says that the work was resumed before. It wraps no class: nothing is wrong with the store.
type ConsumedError struct{ By Consumption }

func (e *ConsumedError) Error() string {
	return fmt.Sprintf("the resume token of %s was consumed before, by %s at %s", e.By.HandoffID, e.By.Operator, e.By.Time)
}

// Hint says what to do next.
func (e *ConsumedError) Hint() string {
	return "find out what was done since; a new packet with a new token is needed to resume again"
}

// Resume consumes the resume token of a handoff, once and for all, and marks the handoff as read by the
// operator. The caller has checked the handoff and decided; c needs HandoffID and Operator, and Token if
// the handoff has one. Of several that resume at once one succeeds; the others get a *ConsumedError.
//
// The commit is the token's line in the ledger. The read mark and the event follow, also after a crash.
func (s *Store) Resume(ctx context.Context, c Consumption) (_ Consumption, err error) {
	defer func() {
		if !errors.As(err, new(*ConsumedError)) {
			err = fault.Unpublished(err)
		}
	}()
	if err := checkOperator(c.Operator); err != nil {
		return c, err
	}
	if _, err := s.guard(); err != nil {
		return c, err
	}
	entry, err := s.Find(c.HandoffID)
	if err != nil {
		return c, err
	}
	c.HandoffID, c.Token = entry.ID, ledgerKey(c.Token, entry.ID)
	err = s.locked(ctx, func(x *session) error {
		c.Time = x.now()
		return x.resume(c)
	})
	return c, err
}

func (x *session) resume(c Consumption) error {
	ledger, err := readLedger(x.state)
	if err != nil {
		return err
	}
	if by, err := ledger.consumed(c.Token); err != nil {
		return err
	} else if by != nil {
		return &ConsumedError{*by}
	}
	st := step{intent: journal.Intent{Op: journal.OpResume, LedgerOffset: ledger.end()}}
	marked, err := x.planMark(c, &st.intent)
	if err != nil {
		return err
	}
	if st.intent.LedgerLine, err = ledgerLine(c); err != nil {
		return err
	}
	st.events = []event{{eventResume, resumePayload{c, marked}}}
	if marked {
		st.events = append(st.events, event{eventMarkRead, markReadPayload{HandoffID: c.HandoffID, OperatorID: c.Operator, Time: c.Time}})
	}
	st.commit = func() error { return x.putToken(&st.intent) }
	return x.apply(st)
}

// planMark says in the intent which row gets the read mark, unless it has it.
func (x *session) planMark(c Consumption, intent *journal.Intent) (marked bool, err error) {
	found := false
	err = eachIndex(x.dir, func(name string, text []byte) error {
		l, ok := index.Find(text, c.HandoffID)
		if !ok {
			return nil
		}
		if found = true; !l.Row.IsReadBy(c.Operator) {
			marked, intent.Index = true, name
			intent.Marks = []journal.Mark{{ID: c.HandoffID, Operator: c.Operator, Time: c.Time}}
		}
		return fs.SkipAll
	})
	if err == nil && !found {
		err = unknownID(c.HandoffID, x.opt.Dir)
	}
	return marked, err
}

// putToken is the commit: the line stands in the ledger and is synced, and so is the name of the ledger.
func (x *session) putToken(intent *journal.Intent) error {
	ledger, err := x.state.OpenLog(ledgerName, true)
	if err != nil {
		return err
	}
	defer ledger.Close()
	if err := x.cutLedger(ledger, intent); err != nil {
		return err
	}
	if err := ledger.Put([]byte(intent.LedgerLine), intent.LedgerOffset); err != nil {
		return err
	}
	return x.state.Sync()
}

// cutLedger removes a torn line that is not the beginning of the intent's.
func (x *session) cutLedger(ledger *durable.Log, intent *journal.Intent) error {
	tail, err := ledgerTail(ledger, intent)
	line := []byte(intent.LedgerLine)
	if err != nil || bytes.HasPrefix(line, tail) || bytes.HasPrefix(tail, line) {
		return err
	}
	if bytes.ContainsRune(tail, '\n') {
		return &CorruptError{File: ledger.Name(), Why: "has whole lines where the interrupted change would have put its own"}
	}
	return ledger.Truncate(intent.LedgerOffset)
}

// ledgerTail returns what stands where the intent puts its line: no more than that as a rule.
func ledgerTail(ledger *durable.Log, intent *journal.Intent) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(ledger, intent.LedgerOffset, maxIntent))
}

func tokenIsThere(x *session, intent *journal.Intent) (bool, error) {
	ledger, err := x.state.OpenLog(ledgerName, false)
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
func (x *session) finishResume(intent *journal.Intent) error {
	if err := x.putToken(intent); err != nil || len(intent.Marks) == 0 {
		return err
	}
	there, err := marksAreThere(x, intent)
	if err != nil || there {
		return err
	}
	return setMarks(x, intent)
}
