package handoff

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// A RepairReport says what Repair or RebuildIndex did, in the order in which it did it.
type RepairReport struct {
	Done []string `json:"done"`
}

// repairPayload names what cannot be read from the other events of a repair. Quarantined are all handoffs
// whose documents are gone or do not verify, Superseded those whose next write event replaces the former.
type repairPayload struct {
	Index       string   `json:"index"`
	KeptAs      string   `json:"kept_as"`
	LogKeptAs   string   `json:"log_kept_as,omitempty"`
	AddedRows   []string `json:"added_rows"`
	AddedMarks  int      `json:"added_marks"`
	Quarantined []string `json:"quarantined"`
	Superseded  []string `json:"superseded,omitempty"`
}

// Repair mends what Verify finds, as far as it can be mended without throwing anything away: it finishes or
// takes back an interrupted change, puts a damaged intent aside, adds rows for good handoffs that no row
// lists, adds read marks and events that are missing, normalises the index files, cuts an audit log off
// where its chain breaks, and moves what does not verify out of the way. Files that are replaced are kept
// beside with a timestamp. It may be interrupted at any moment and run again.
func (s *Store) Repair(ctx context.Context) (RepairReport, error) { return s.mend(ctx, false) }

// RebuildIndex is Repair with an INDEX.md that is made anew from the stored files and the audit log, read
// marks included. Archives stay.
func (s *Store) RebuildIndex(ctx context.Context) (RepairReport, error) { return s.mend(ctx, true) }

func (s *Store) mend(ctx context.Context, rebuild bool) (report RepairReport, err error) {
	defer func() {
		err = fault.Explain(err, "the repair stopped, and lost nothing", "run it again: it goes on from there")
	}()
	report.Done = []string{}
	if _, err := s.guard(); err != nil {
		return report, err
	}
	dir, err := s.prover()
	if err != nil || dir == nil {
		return report, err // nothing is there to mend, and nothing to begin
	}
	dir.Close()
	runtime.LockOSThread() // as in change
	defer runtime.UnlockOSThread()
	x := &session{Store: s}
	defer x.end()
	if err := x.open(); err != nil {
		return report, err
	}
	if err := x.lock(ctx, s.opt.LockTimeout); err != nil {
		return report, err
	}
	if err := x.checkMachine(); err != nil {
		return report, err
	}
	m := newMending(x, rebuild, &report)
	for _, do := range []func() error{m.displaceOdd, m.settleIntent, m.removeLeftovers, m.look, m.survey, m.cutLog, m.mendLedger, m.rewrite, m.displaceLoose} {
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
	*session
	rebuild bool
	report  *RepairReport
	stamp   string

	found  *check
	loose  []indexText          // archives that nothing links and that no reader comes to
	stored map[string]index.Row // by id: the rows that the good documents should have
	placed map[string]bool      // ids whose rows are in a rewritten file
	lost   []string             // ids that are listed or recorded and have no good document

	differs    map[string]bool // ids whose write event says otherwise than the document
	superseded []string
	consumed   []Consumption // what the ledger should hold
	logKeptAs  string
}

func newMending(x *session, rebuild bool, report *RepairReport) *mending {
	return &mending{session: x, rebuild: rebuild, report: report, stamp: x.opt.Now().UTC().Format("20060102T150405.000000000Z")}
}

func (m *mending) did(format string, args ...any) {
	m.report.Done = append(m.report.Done, fmt.Sprintf(format, args...))
}

// settleIntent recovers. An intent that recovery cannot use is put aside.
func (m *mending) settleIntent() error {
	err := m.recover()
	if !errors.Is(err, ErrIntegrity) {
		return err
	}
	if _, statErr := m.dir.Lstat(journal.IntentName); statErr != nil {
		return err
	}
	name := strings.TrimPrefix(journal.IntentName, ".") + "-" + m.stamp
	if asideErr := m.moveAside(m.dir, journal.IntentName, name); asideErr != nil {
		return errors.Join(err, asideErr)
	}
	m.did("put the intent that could not be used aside as %s: %v", name, err)
	return nil
}

// look reads what Verify reads, the documents excepted.
func (m *mending) look() error {
	c := newCheck(m.Store)
	c.dir, c.state = m.dir, m.state
	if err := c.readSnapshot(); err != nil {
		return err
	}
	c.readLog()
	c.readIndexes()
	m.found = c
	return m.readLoose()
}
