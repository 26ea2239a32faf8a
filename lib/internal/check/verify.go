package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Finding is one fault or warning.
type Finding struct {
	Place   string `json:"place"`   // file, or file:line
	Problem string `json:"problem"` // what is wrong
	Remedy  string `json:"remedy,omitempty"`
}

// String returns the finding as one line.
func (f Finding) String() string { return f.Place + ": " + f.Problem }

// A Report is the result of [Verify]. A fault breaks a promise of the store; a warning does not.
type Report struct {
	Handoffs int       `json:"handoffs"`
	Others   int       `json:"from_others,omitempty"` // how many were written in other replicas
	Events   int       `json:"events"`
	Head     string    `json:"head"` // count:hash of the audit log
	Faults   []Finding `json:"faults"`
	Warnings []Finding `json:"warnings"`
}

// Err returns nil if the report has no faults. Otherwise the error names each fault, and its class is
// ErrIntegrity.
func (r Report) Err() error {
	if len(r.Faults) == 0 {
		return nil
	}
	lines := append(fault.Lines(r.Faults, Finding.String), fault.Count(len(r.Faults), "fault")+" found")
	return fault.Integrity("run `handoff doctor` to see how to repair them", "%s",
		strings.Join(lines, "\n"))
}

const (
	remedyRepair  = "handoff doctor --repair"
	remedyRebuild = "handoff doctor --rebuild-index"
	remedyWrite   = "any writing command"
)

// remedyMissing is the remedy for a missing document or signature.
const remedyMissing = remedyRepair + " brings it back if the journal has it; otherwise "

// remedyChanged returns the remedy for a stored document that was changed.
func remedyChanged(id string) string {
	return remedyRepair +
		" quarantines it; to keep it, restore the file from git or a backup first; `handoff supersede " +
		strings.TrimPrefix(id, "sha256:")[:12] + "` stores the changed text as its successor"
}

// A check collects the findings of one verification.
type check struct {
	*Snapshot
	mu     sync.Mutex
	report Report

	hidesSignatures bool     // the directory of signatures is unreadable
	sighted         []string // operators with keys that are not pinned
}

// newCheck returns a check without findings.
func newCheck(s *Snapshot) *check { return &check{Snapshot: s, report: newReport()} }

// newReport returns a report whose lists are empty in JSON, not null.
func newReport() Report { return Report{Faults: []Finding{}, Warnings: []Finding{}} }

// mostFindings is the most faults that are listed, and the most warnings.
const mostFindings = 10_000

// fault reports something that was changed after it was stored, or cannot be used.
func (c *check) fault(place, remedy, format string, args ...any) {
	c.find(&c.report.Faults, place, remedy, format, args)
}

// warn reports something that you should know but that loses nothing.
func (c *check) warn(place, remedy, format string, args ...any) {
	c.find(&c.report.Warnings, place, remedy, format, args)
}

// countFromOthers counts a good handoff that was written in another replica.
func (c *check) countFromOthers() {
	c.mu.Lock()
	c.report.Others++
	c.mu.Unlock()
}

// find adds a finding to a list, up to mostFindings. It is safe for concurrent use.
func (c *check) find(list *[]Finding, place, remedy, format string, args []any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch n := len(*list); {
	case n < mostFindings:
		*list = append(*list, Finding{place, fmt.Sprintf(format, args...), remedy})
	case n == mostFindings:
		more := fmt.Sprintf("there are more than %d; the rest is not listed", mostFindings)
		*list = append(*list, Finding{"…", more, ""})
	}
}

// Verify derives everything again and reports the differences: ids from files, rows from documents, events
// from rows, the chain, and the read marks. It also reports files that do not belong to the store. With ids
// it checks only these handoffs and the chain.
func Verify(ctx context.Context, s *store.Store, ids []string) (Report, error) {
	st, err := Look(ctx, s)
	if err != nil || st == nil {
		return newReport(), err
	}
	defer st.Close()
	c := newCheck(st)
	c.checkLog()
	if len(ids) > 0 {
		err = c.checkOnly(ctx, ids)
	} else {
		c.checkAll(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	c.orderRemedies()
	slices.SortStableFunc(c.report.Faults, byPlace)
	slices.SortStableFunc(c.report.Warnings, byPlace)
	return c.report, err
}

// checkAll checks everything. The order matters: rows before documents, documents before their events, and
// last what follows from all of them.
func (c *check) checkAll(ctx context.Context) {
	c.checkIndexes()
	c.addJournal()
	c.checkSignatures()
	c.checkDocuments(ctx, c.order)
	c.checkNames()
	c.checkEvents()
	c.checkLedger()
	c.checkTombstones()
	c.checkState()
}

// addJournal adds the findings of the comparison with the journal.
func (c *check) addJournal() {
	if c.journal != nil {
		c.report.Faults = append(c.report.Faults, c.journal.report.Faults...)
		c.report.Warnings = append(c.report.Warnings, c.journal.report.Warnings...)
	}
}

// checkOnly checks the handoffs of the ids.
func (c *check) checkOnly(ctx context.Context, ids []string) error {
	c.ListRows(nil)
	var rows []*Row
	for _, id := range ids {
		e, err := c.Find(c.Dir, id)
		if err != nil {
			return err
		}
		row := c.Rows[e.ID]
		if row == nil { // written since the snapshot
			row = &Row{Row: e, file: disk.IndexFile}
		}
		rows = append(rows, row)
	}
	c.checkDocuments(ctx, rows)
	for _, row := range rows {
		c.checkMarks(row, c.Log.Of(row.ID))
	}
	c.checkLogThere()
	return nil
}

// byPlace orders findings by file, line and text, so that the order is always the same. Of two line numbers, the
// shorter is the smaller one.
func byPlace(a, b Finding) int {
	fileA, lineA, _ := strings.Cut(a.Place, ":")
	fileB, lineB, _ := strings.Cut(b.Place, ":")
	return cmp.Or(strings.Compare(fileA, fileB), len(lineA)-len(lineB), strings.Compare(lineA, lineB),
		strings.Compare(a.Problem, b.Problem))
}
