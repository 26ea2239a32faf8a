package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/journal"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Report says what Repair or RebuildIndex did, in the order in which it did it.
type Repairs struct {
	Done []string `json:"done"`
}

// Repair mends what fsck finds; rebuild makes all rows of INDEX.md anew. What it did before an error stays
// done, and stands in the report.
func Repair(ctx context.Context, s *store.Store, rebuild bool) (report Repairs, err error) {
	defer func() {
		err = fault.Explain(err, "the repair stopped, and lost nothing", "run it again: it goes on from there")
	}()
	report.Done = []string{}
	if _, err := txn.Guard(s); err != nil {
		return report, err
	}
	dir, err := s.Prover()
	if err != nil || dir == nil {
		return report, err // nothing is there to mend, and nothing to begin
	}
	dir.Close()
	runtime.LockOSThread() // as in change
	defer runtime.UnlockOSThread()
	x, err := txn.Enter(ctx, s, s.Opt.LockTimeout)
	if err != nil {
		return report, err
	}
	defer x.End()
	if err := x.CheckMachine(); err != nil {
		return report, err
	}
	m := newMending(x, rebuild, &report)
	for _, do := range []func() error{m.displaceOdd, m.settleJournal, m.heal, m.TakeOver, m.removeLeftovers, func() error { return m.look(ctx) }, m.survey, m.cutLog, m.mendLedger, m.mendTombstones, m.rewrite, m.displaceLoose, m.Checkpoint} {
		if err := do(); err != nil {
			return report, err
		}
		if err := ctx.Err(); err != nil {
			return report, err
		}
	}
	return report, nil
}

// A mending is one run of Repair under the lock.
type mending struct {
	*txn.Session
	rebuild bool
	report  *Repairs
	stamp   string

	found  *Snapshot
	loose  []IndexFile     // archives that nothing links and that no reader comes to
	stored map[string]good // by id
	placed map[string]bool // ids whose rows are in a rewritten file
	lost   []string        // ids that are listed or recorded and have no good document

	superseded []string               // ids whose write event says otherwise than the document
	consumed   []eventlog.Consumption // what the ledger should hold
	logKeptAs  string
}

// newMending begins a repair. What it moves aside gets the time of its beginning as a part of the name.
func newMending(x *txn.Session, rebuild bool, report *Repairs) *mending {
	return &mending{Session: x, rebuild: rebuild, report: report, stamp: x.Opt.Now().UTC().Format("20060102T150405.000000000Z")}
}

// did reports a change that is on disk.
func (m *mending) did(format string, args ...any) {
	m.report.Done = append(m.report.Done, fmt.Sprintf(format, args...))
}

// settleJournal recovers. Lines that no command of this store wrote go aside; a journal that recovery cannot
// use does too, and a new one begins with the files as they are.
func (m *mending) settleJournal() error {
	for range 3 { // the audit log and the ledger may both have such lines
		err := m.Recover()
		if err == nil {
			err = m.ProveJournal()
		}
		if err == nil { // else it would bring back what goes aside
			err = m.Checkpoint()
		}
		unknown, older := (*txn.UnknownLinesError)(nil), (*store.OlderError)(nil)
		switch {
		case errors.As(err, &unknown):
			if err := m.displaceLines(unknown); err != nil {
				return err
			}
			continue
		case err == nil || !errors.Is(err, fault.ErrIntegrity) || errors.As(err, &older): // only regenerate goes back
			return err
		}
		return m.beginJournal(err)
	}
	return m.Recover()
}

// displaceLines keeps the end of a file that no command of this store wrote beside, and cuts it off.
func (m *mending) displaceLines(e *txn.UnknownLinesError) error {
	text, err := m.State.ReadFile(e.Name, disk.MaxLog)
	if err != nil {
		return err
	}
	aside := m.asideName(e.Name)
	if err := m.keepCopy(m.State, aside, text[e.Offset:]); err != nil {
		return err
	}
	log, err := m.State.OpenLog(e.Name, false)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := log.Truncate(e.Offset); err != nil {
		return err
	}
	m.did("put the end of %s aside as %s: no command of this store wrote it", e.Name, aside)
	return log.Sync()
}

// beginJournal puts the journal aside and begins a new one, after cutting off what no event can follow.
func (m *mending) beginJournal(why error) error {
	for _, name := range []string{journal.FileName, journal.NewFileName} {
		if _, err := m.State.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if err := m.quarantine(m.State, name, store.OneLine(why)); err != nil {
			return err
		}
	}
	if err := m.Rebase(); !errors.Is(err, fault.ErrIntegrity) {
		return err
	}
	if err := m.look(context.Background()); err != nil {
		return err
	}
	return m.cutLog()
}

// heal brings back what the journal still has, before anything is taken for lost. What it cannot mend is looked
// at like all else.
func (m *mending) heal() error {
	if err := m.Checkpoint(); !errors.Is(err, fault.ErrIntegrity) {
		return err
	}
	return nil
}

// look reads what Verify reads, the documents excepted.
func (m *mending) look(ctx context.Context) (err error) {
	if m.found, err = LookIn(ctx, m.Dirs); err != nil {
		return err
	}
	m.AtEnd(m.found.Release)
	m.found.ListRows(nil)
	return m.readLoose()
}
