package handoff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// A RepairReport says what Repair or RebuildIndex did, in the order in which it did it.
type RepairReport struct {
	Done []string `json:"done"`
}

type repairPayload struct {
	Index       string   `json:"index"`
	KeptAs      string   `json:"kept_as"`
	AddedRows   []string `json:"added_rows"`
	AddedMarks  int      `json:"added_marks"`
	Quarantined []string `json:"quarantined"`
}

// Repair mends what Verify finds, as far as it can be mended without throwing anything away: it finishes or
// takes back an interrupted change, puts a damaged intent aside, adds rows for good handoffs that no row
// lists, adds read marks and events that are missing, normalises INDEX.md, and moves what does not verify
// out of the way. Files that are replaced are kept beside with a timestamp.
func (s *Store) Repair(ctx context.Context) (RepairReport, error) { return s.mend(ctx, false) }

// RebuildIndex makes INDEX.md anew from the stored files and the audit log, read marks included. Archives
// stay. The file that was there is kept beside with a timestamp.
func (s *Store) RebuildIndex(ctx context.Context) (RepairReport, error) { return s.mend(ctx, true) }

func (s *Store) mend(ctx context.Context, rebuild bool) (RepairReport, error) {
	report := RepairReport{Done: []string{}}
	if _, err := s.guard(); err != nil {
		return report, err
	}
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
	m := &mending{session: x, rebuild: rebuild, report: &report, stamp: s.opt.Now().UTC().Format("20060102T150405.000000000Z")}
	for _, do := range []func() error{m.settleIntent, m.removeLeftovers, m.look, m.quarantineBad, m.rewrite} {
		if err := do(); err != nil {
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

	found       *check
	marks       map[string][]index.Mark // by id, those that the log records
	bad         map[string]bool         // files that do not verify
	quarantined []string
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
	name := strings.TrimPrefix(journal.IntentName, ".") + "-" + m.stamp
	if keepErr := m.moveAside(m.dir, journal.IntentName, name); keepErr != nil {
		return errors.Join(err, keepErr)
	}
	m.did("put the intent that could not be used aside as %s: %v", name, err)
	return nil
}

func (m *mending) removeLeftovers() error {
	for _, d := range []*durable.Dir{m.dir, m.state} {
		removed, err := d.RemoveStaged()
		if err != nil {
			return err
		}
		for _, name := range removed {
			m.did("removed %s, which an interrupted command left", name)
		}
	}
	return nil
}

// moveAside gives a file another name in the same directory. There is always at least one name.
func (m *mending) moveAside(d *durable.Dir, from, to string) error {
	if err := m.keepCopy(d, from, to); err != nil {
		return err
	}
	if err := d.Remove(from); err != nil {
		return err
	}
	return d.Sync()
}

func (m *mending) keepCopy(d *durable.Dir, from, to string) error {
	text, err := d.ReadFile(from, maxIndex)
	if err != nil {
		return err
	}
	if err := publishNew(d, to, text); err != nil {
		return err
	}
	return d.Sync()
}

// look reads everything that Verify reads.
func (m *mending) look() error {
	c := &check{Store: m.Store, dir: m.dir, state: m.state, rows: make(map[string]*listedRow), files: make(map[string]bool)}
	for _, read := range []func() error{c.readLog, c.readIndexes, c.readNames} {
		if err := read(); err != nil {
			return err
		}
	}
	c.checkDocuments(context.Background(), c.order)
	m.found, m.bad = c, make(map[string]bool)
	m.marks = make(map[string][]index.Mark)
	for mark, at := range c.log.marks {
		m.marks[mark.ID] = append(m.marks[mark.ID], index.Mark{Operator: mark.Operator, Time: at})
	}
	for _, marks := range m.marks {
		slices.SortFunc(marks, func(a, b index.Mark) int { return strings.Compare(a.Time+a.Operator, b.Time+b.Operator) })
	}
	return nil
}

// quarantineBad moves files that do not hold what their name and row say out of the way of the store.
func (m *mending) quarantineBad() error {
	for _, name := range slices.Sorted(maps.Keys(m.found.files)) {
		text, err := m.dir.ReadFile(name, maxStored)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			var doc Document
			if doc, err = parseStored(name, text); err == nil && m.isWhole(doc) {
				continue
			}
		}
		aside := "quarantine-" + m.stamp + "-" + name
		if err := m.moveAside(m.dir, name, aside); err != nil {
			return fmt.Errorf("cannot put %s aside: %w", filepath.Join(m.opt.Dir, name), err)
		}
		m.bad[name] = true
		for _, id := range m.found.order {
			if m.found.rows[id].File == name {
				m.quarantined = append(m.quarantined, id)
			}
		}
		m.did("put %s aside as %s: it is not what was written", name, aside)
	}
	return nil
}

func (m *mending) isWhole(doc Document) bool {
	id, err := ID(doc)
	return err == nil && id == doc.HandoffID
}

// stored returns the good handoffs among the files, by id, with their names. Of several files with the
// same content the first name counts.
func (m *mending) stored() (map[string]Document, map[string]string, error) {
	docs, names := make(map[string]Document), make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(m.found.files)) {
		text, err := m.dir.ReadFile(name, maxStored)
		if m.bad[name] || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		doc, err := parseStored(name, text)
		if err != nil {
			continue
		}
		if row := m.found.rows[doc.HandoffID]; names[doc.HandoffID] == "" || (row != nil && row.File == name) {
			docs[doc.HandoffID], names[doc.HandoffID] = doc, name
		}
	}
	return docs, names, nil
}
