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

// Repairs lists what [Repair] did, in order.
type Repairs struct {
	Done []string `json:"done"`
}

// Repair repairs what [Verify] finds. If rebuild is set, it writes all rows of INDEX.md again. If it fails,
// the report has what it did before.
func Repair(ctx context.Context, s *store.Store, rebuild bool) (report Repairs, err error) {
	defer func() {
		err = fault.Explain(err, "the repair stopped; nothing was lost", "run it again to continue")
	}()
	report.Done = []string{}
	if _, err := txn.Guard(s); err != nil {
		return report, err
	}
	dir, err := s.Prover()
	if err != nil || dir == nil {
		return report, err // nothing to repair, and nothing to create
	}
	dir.Close()
	runtime.LockOSThread() // as in txn
	defer runtime.UnlockOSThread()
	x, err := txn.Enter(ctx, s, s.Opt.LockTimeout)
	if err != nil {
		return report, err
	}
	defer x.End()
	if err := x.CheckMachine(); err != nil {
		return report, err
	}
	m := newRepair(x, rebuild, &report)
	for _, do := range []func() error{m.quarantineUnsafe, m.recoverJournal, m.TakeOver, m.removeLeftovers,
		func() error { return m.takeSnapshot(ctx) }, m.readFiles, m.cutLog, m.repairLedger,
		m.repairTombstones, m.rewrite, m.Checkpoint} {
		if err := do(); err != nil {
			return report, err
		}
		if err := ctx.Err(); err != nil {
			return report, err
		}
	}
	return report, nil
}

// A repair is one run of Repair under the lock.
type repair struct {
	*txn.Session
	rebuild bool
	moves   bool // the user gives the store to this machine, and knows that its journal may be of another user
	report  *Repairs
	stamp   string

	found  *Snapshot
	stored map[string]good // by id
	placed map[string]bool // ids whose rows are in a rewritten file
	lost   []string        // ids that are listed or recorded but have no good document

	superseded []string               // ids whose write event differs from the document
	consumed   []eventlog.Consumption // the lines that the ledger should have
	logKeptAs  string
}

// newRepair begins a repair. The time of its beginning is part of the names of quarantined files.
func newRepair(x *txn.Session, rebuild bool, report *Repairs) *repair {
	return &repair{Session: x, rebuild: rebuild, report: report, stamp: x.NameTime()}
}

// did reports a change that is on disk.
func (m *repair) did(format string, args ...any) {
	m.report.Done = append(m.report.Done, fmt.Sprintf(format, args...))
}

// recoverJournal recovers. It quarantines lines that no command of this store wrote. If recovery cannot use
// the journal, it quarantines the journal and begins a new one with the files as they are. A journal that only
// lacks its key stays.
func (m *repair) recoverJournal() error {
	if err := m.NeedKey(false); err != nil { // before a new journal could get a key that replaces it
		return err
	}
	for range 3 { // the audit log and the ledger may both have such lines
		err := m.Recover()
		if err == nil {
			err = m.ProveJournal()
		}
		if err == nil { // otherwise the journal would restore what is quarantined later
			err = m.Checkpoint()
		}
		unknown := (*store.UnknownLinesError)(nil)
		switch {
		case errors.As(err, &unknown):
			if err := m.quarantineLines(unknown); err != nil {
				return err
			}
			continue
		case err == nil || !errors.Is(err, fault.ErrIntegrity) || errors.Is(err, store.ErrOlder) ||
			errors.Is(err, journal.ErrKey) && !m.moves:
			// only regenerate may continue an older state, or one of another user
			return err
		}
		return m.beginJournal(err)
	}
	return m.Recover()
}

// quarantineLines moves the end of a file that no command of this store wrote to quarantine.
func (m *repair) quarantineLines(e *store.UnknownLinesError) error {
	text, err := m.State.ReadFile(e.Name, disk.MaxLog)
	if err != nil {
		return err
	}
	aside := m.QuarantineName(e.Name)
	if err := m.keepCopy(m.State, aside, text[e.Offset:]); err != nil {
		return err
	}
	log, err := m.State.OpenLog(e.Name)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := log.Truncate(e.Offset); err != nil {
		return err
	}
	m.did("quarantined the end of %s as %s: no command of this store wrote it", e.Name, aside)
	return log.Sync()
}

// beginJournal quarantines the journal and begins a new one. If no event can follow the log, it cuts the log
// first.
func (m *repair) beginJournal(why error) error {
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
	if err := m.takeSnapshot(context.Background()); err != nil {
		return err
	}
	return m.cutLog()
}

// takeSnapshot reads what Verify reads, except the documents.
func (m *repair) takeSnapshot(ctx context.Context) (err error) {
	if m.found, err = LookIn(ctx, m.Dirs); err != nil {
		return err
	}
	m.AtEnd(m.found.Release)
	m.found.ListRows(nil)
	return m.found.denied // a repair would record the content of the file again
}
