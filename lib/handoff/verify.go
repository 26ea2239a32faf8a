package handoff

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
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
	text := ""
	for _, f := range r.Faults {
		text += f.String() + "\n"
	}
	return &Error{Class: ErrIntegrity, Problem: fmt.Sprintf("%s%d faults found", text, len(r.Faults)),
		Advice: "`handoff doctor` says what would mend them"}
}

// A check collects the findings of one verification.
type check struct {
	*Store
	dir, state *durable.Dir
	mu         sync.Mutex
	report     Report

	rows  map[string]*listedRow // by id
	order []string              // ids in the order of the index
	files map[string]bool       // stored files that exist → listed by a row
	log   logFacts
}

// A listedRow is a row with its place and, once it is read, its document.
type listedRow struct {
	index.Row
	place string
	doc   *Document
}

func (c *check) fault(place, remedy, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Faults = append(c.report.Faults, Finding{place, fmt.Sprintf(format, args...), remedy})
}

func (c *check) warn(place, remedy, format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Warnings = append(c.report.Warnings, Finding{place, fmt.Sprintf(format, args...), remedy})
}

// Verify derives everything again: ids from files, rows from documents, events from rows, the chain, the
// read marks, and looks for what does not belong. With ids it looks at these handoffs alone. It takes no
// lock and changes nothing; while others write it looks again until it has seen one state.
func (s *Store) Verify(ctx context.Context, ids ...string) (Report, error) {
	const patience = 20
	for try := 1; ; try++ {
		before := s.signature()
		report, err := s.verifyOnce(ctx, ids)
		if err != nil || len(report.Faults) == 0 || try == patience || (before == s.signature() && !before.pending) {
			return report, err
		}
		if before == s.signature() && try > 3 { // an interrupted change, not one that is under way
			return report, nil
		}
		time.Sleep(25 * time.Millisecond)
	}
}

// A signature changes when a writer changes the store.
type signature struct {
	index, log durable.Entry
	pending    bool
}

func (s *Store) signature() signature {
	var sig signature
	if d, err := openOptional(s.opt.Dir); err == nil && d != nil {
		defer d.Close()
		sig.index, _ = d.Lstat(index.Name)
		_, err := d.Lstat(journal.IntentName)
		sig.pending = err == nil
	}
	if d, err := openOptional(s.opt.StateDir); err == nil && d != nil {
		defer d.Close()
		sig.log, _ = d.Lstat(logName)
	}
	return sig
}

func (s *Store) verifyOnce(ctx context.Context, ids []string) (Report, error) {
	c := &check{Store: s, rows: make(map[string]*listedRow), files: make(map[string]bool)}
	c.report.Faults, c.report.Warnings = []Finding{}, []Finding{}
	dir, err := s.reader()
	if err != nil || dir == nil {
		return c.report, err
	}
	defer dir.Close()
	c.dir = dir
	if c.state, err = openOptional(s.opt.StateDir); err != nil {
		return c.report, err
	}
	if c.state != nil {
		defer c.state.Close()
	}
	if err := c.readLog(); err != nil {
		return c.report, err
	}
	if err := c.readIndexes(); err != nil {
		return c.report, err
	}
	if len(ids) > 0 {
		return c.only(ids)
	}
	if err := c.readNames(); err != nil {
		return c.report, err
	}
	c.checkDocuments(ctx, c.order)
	c.checkOrphans()
	c.checkEvents()
	c.checkState()
	c.sort()
	return c.report, ctx.Err()
}

// only keeps to the handoffs of the ids.
func (c *check) only(ids []string) (Report, error) {
	var full []string
	for _, id := range ids {
		e, err := c.find(c.dir, id)
		if err != nil {
			return c.report, err
		}
		full = append(full, e.ID)
	}
	c.report.Faults, c.report.Warnings = []Finding{}, []Finding{}
	c.checkDocuments(context.Background(), full)
	for _, id := range full {
		c.checkRowEvents(c.rows[id])
	}
	c.report.Handoffs = len(full)
	c.sort()
	return c.report, nil
}

func (c *check) sort() {
	for _, list := range [][]Finding{c.report.Faults, c.report.Warnings} {
		sort.SliceStable(list, func(i, j int) bool { return list[i].Place < list[j].Place })
	}
}
