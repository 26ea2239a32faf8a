package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Finding is one thing that verification found.
type Finding struct {
	Place   string `json:"place"`   // file, or file:line
	Problem string `json:"problem"` // what is wrong
	Remedy  string `json:"remedy,omitempty"`
}

// String returns the finding as one line.
func (f Finding) String() string { return f.Place + ": " + f.Problem }

// A Report is the outcome of Verify. Faults break the promise of the store, warnings do not.
type Report struct {
	Handoffs int       `json:"handoffs"`
	Others   int       `json:"from_others,omitempty"` // of them were written in other replicas
	Events   int       `json:"events"`
	Head     string    `json:"head"` // count:hash of the audit log
	Faults   []Finding `json:"faults"`
	Warnings []Finding `json:"warnings"`
}

// Err returns nil if the report has no faults, else an error of the class ErrIntegrity that names each.
func (r Report) Err() error {
	if len(r.Faults) == 0 {
		return nil
	}
	lines := append(fault.Lines(r.Faults, Finding.String), fault.Count(len(r.Faults), "fault")+" found")
	return &fault.Error{Class: fault.ErrIntegrity, Problem: strings.Join(lines, "\n"),
		Advice: "`handoff doctor` says how to mend them"}
}

const (
	remedyRepair  = "handoff doctor --repair"
	remedyRebuild = "handoff doctor --rebuild-index"
)

// remedyChanged is about a stored document that is not what was written.
func remedyChanged(id string) string {
	return remedyRepair + " puts it aside, and it is listed no more; to keep it, bring the file back as it was, from git or a backup; `handoff supersede " +
		strings.TrimPrefix(id, "sha256:")[:12] + "` makes what was changed in it a handoff of its own, which takes its place"
}

// A check collects the findings of one verification.
type check struct {
	*Snapshot
	mu     sync.Mutex
	report Report

	isOlder         bool     // the state lacks the newest events: a handoff without one need not be from another clone
	hidesSignatures bool     // something else stands in the place of their directory
	sighted         []string // whose keys nobody has pinned
}

// newCheck returns a check that has found nothing yet.
func newCheck(s *Snapshot) *check { return &check{Snapshot: s, report: newReport()} }

// newReport returns a report whose lists are empty in JSON, not null.
func newReport() Report { return Report{Faults: []Finding{}, Warnings: []Finding{}} }

// mostFindings is how many faults are listed, and how many warnings: who has more needs no list.
const mostFindings = 10_000

// fault reports what is not as it was written, or cannot be used.
func (c *check) fault(place, remedy, format string, args ...any) {
	c.find(&c.report.Faults, place, remedy, format, args)
}

// warn reports what a person should know of, and what loses nothing.
func (c *check) warn(place, remedy, format string, args ...any) {
	c.find(&c.report.Warnings, place, remedy, format, args)
}

// countFromOthers notes that a handoff is good and was written in another replica.
func (c *check) countFromOthers() {
	c.mu.Lock()
	c.report.Others++
	c.mu.Unlock()
}

// find adds a finding to a list, up to as many as anybody reads. Documents are checked by several
// goroutines.
func (c *check) find(list *[]Finding, place, remedy, format string, args []any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch n := len(*list); {
	case n < mostFindings:
		*list = append(*list, Finding{place, fmt.Sprintf(format, args...), remedy})
	case n == mostFindings:
		*list = append(*list, Finding{"…", fmt.Sprintf("there is more than these %d, which is not listed", mostFindings), ""})
	}
}

// Verify derives everything again: ids from files, rows from documents, events from rows, the chain, the
// read marks, and looks for what does not belong. With ids it looks at these handoffs and the chain alone.
func Verify(ctx context.Context, s *store.Store, ids []string) (Report, error) {
	st, err := Look(ctx, s)
	if err != nil || st == nil {
		return newReport(), err
	}
	defer st.Close()
	c := newCheck(st)
	c.checkLog()
	if len(ids) > 0 {
		err = c.only(ctx, ids)
	} else {
		c.all(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	c.orderRemedies()
	slices.SortStableFunc(c.report.Faults, byPlace)
	slices.SortStableFunc(c.report.Warnings, byPlace)
	return c.report, err
}

// all checks everything. The order is that in which findings explain each other: rows before documents,
// documents before what the log says of them, and what is derived from all of them last.
func (c *check) all(ctx context.Context) {
	c.checkIndexes()
	c.checkJournal()
	c.checkSignatures()
	c.checkDocuments(ctx, c.order)
	c.checkNames()
	c.checkEvents()
	c.checkLedger()
	c.checkTombstones()
	c.checkAdoption()
	c.checkState()
	c.checkCheckpoints()
}

// only keeps to the handoffs of the ids and to what the log itself shows.
func (c *check) only(ctx context.Context, ids []string) error {
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

// byPlace orders findings by file, by line, and then by what they say, so that the order is always the same.
func byPlace(a, b Finding) int {
	fileA, lineA := splitPlace(a.Place)
	fileB, lineB := splitPlace(b.Place)
	return cmp.Or(strings.Compare(fileA, fileB), lineA-lineB, strings.Compare(a.Problem, b.Problem))
}

// splitPlace divides a place such as INDEX.md:12, so that findings of one file are sorted by number and not
// by digit.
func splitPlace(place string) (file string, line int) {
	if at := strings.LastIndexByte(place, ':'); at >= 0 {
		if n, err := strconv.Atoi(place[at+1:]); err == nil {
			return place[:at], n
		}
	}
	return place, 0
}
