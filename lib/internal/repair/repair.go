package repair

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/fsck"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/life"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// A Report says what Repair or RebuildIndex did, in the order in which it did it.
type Report struct {
	Done []string `json:"done"`
}

// Repair mends what fsck finds; rebuild makes all rows of INDEX.md anew. What it did before an error stays
// done, and stands in the report.
func Repair(ctx context.Context, s *store.Store, rebuild bool) (report Report, err error) {
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
	for _, do := range []func() error{m.displaceOdd, m.settleIntent, m.TakeOver, m.removeLeftovers, m.dropLife, func() error { return m.look(ctx) }, m.survey, m.cutLog, m.mendLedger, m.mendTombstones, m.rewrite, m.displaceLoose} {
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
	report  *Report
	stamp   string

	found  *fsck.Snapshot
	loose  []fsck.IndexFile // archives that nothing links and that no reader comes to
	stored map[string]good  // by id
	placed map[string]bool  // ids whose rows are in a rewritten file
	lost   []string         // ids that are listed or recorded and have no good document

	superseded []string               // ids whose write event says otherwise than the document
	consumed   []eventlog.Consumption // what the ledger should hold
	logKeptAs  string
}

// newMending begins a repair. What it moves aside gets the time of its beginning as a part of the name.
func newMending(x *txn.Session, rebuild bool, report *Report) *mending {
	return &mending{Session: x, rebuild: rebuild, report: report, stamp: x.Opt.Now().UTC().Format("20060102T150405.000000000Z")}
}

// did reports a change that is on disk.
func (m *mending) did(format string, args ...any) {
	m.report.Done = append(m.report.Done, fmt.Sprintf(format, args...))
}

// settleIntent recovers. An intent that recovery cannot use is put aside.
func (m *mending) settleIntent() error {
	err := m.Recover()
	if !errors.Is(err, fault.ErrIntegrity) {
		return err
	}
	if _, statErr := m.Dir.Lstat(layout.Intent); statErr != nil {
		return err
	}
	name := strings.TrimPrefix(layout.Intent, ".") + "-" + m.stamp
	if asideErr := m.moveAside(m.Dir, layout.Intent, name); asideErr != nil {
		return errors.Join(err, asideErr)
	}
	m.did("put the intent that could not be used aside as %s: %v", name, err)
	return nil
}

// dropLife removes what is cached of the lives of handoffs, if it does not hold: whoever needs it
// makes it again.
func (m *mending) dropLife() error {
	problem, err := life.Check(m.Dirs)
	if err == nil && problem != "" {
		if err = m.State.Remove(layout.LifeCache); err == nil {
			m.did("removed %s, which %s", layout.LifeCache, problem)
		}
	}
	return err
}

// look reads what Verify reads, the documents excepted.
func (m *mending) look(ctx context.Context) (err error) {
	if m.found, err = fsck.LookIn(ctx, m.Dirs); err != nil {
		return err
	}
	m.AtEnd(m.found.Release)
	m.found.ListRows(nil)
	return m.readLoose()
}
