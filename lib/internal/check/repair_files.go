package check

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A good is the row of a good document. differs means that its write event differs.
type good struct {
	*index.Row
	differs bool
}

// readFiles reads every stored file. It quarantines files that do not verify, and all copies but one.
func (m *repair) readFiles() error {
	names := m.found.Files()
	m.stored = make(map[string]good, len(names))
	docs, errs := make([]good, len(names)), make([]error, len(names))
	m.EachShown(store.TaskProve, len(names), 2*runtime.GOMAXPROCS(0),
		func(i int) { docs[i], errs[i] = m.read(names[i]) })
	for i, name := range names {
		err := errs[i]
		switch {
		case err == nil && m.found.Log.Of(docs[i].ID).Pruned:
			err = m.quarantine(m.Dir, name, "it was pruned")
		case err == nil:
			err = m.keepOne(docs[i])
		case errors.Is(err, fault.ErrIntegrity), errors.Is(err, disk.ErrUnsafe), errors.Is(err, disk.ErrTooLarge):
			err = m.quarantine(m.Dir, name, err.Error())
		default: // a read error of the disk proves nothing about the file
			err = fmt.Errorf("cannot read %s: %w", m.Path(name), err)
		}
		if err != nil {
			return err
		}
	}
	m.collectMarks()
	m.compareLog()
	return nil
}

// read returns the row of a file that is a good document. The row has the marks of the index if the index
// lists the file. It fails if the document is damaged.
func (m *repair) read(name string) (good, error) {
	text, err := m.Dir.ReadFile(name, disk.MaxDocument)
	if err != nil {
		return good{}, err
	}
	doc, row, err := store.ParseProven(name, text)
	if err != nil {
		return good{}, err
	}
	logged := m.found.Log.Of(row.ID)
	differs := logged.IsWritten() && !logged.Says(row, &doc)
	if listed := m.found.Rows[row.ID]; listed != nil && listed.File == name && store.SameHandoff(listed.Row, row) {
		return good{&listed.Row, differs}, nil
	}
	row, ok := index.ParseRow(row.String()) // a new row does not keep the text in memory
	if !ok {
		return good{}, &fault.CorruptError{File: name, Why: "cannot be listed in the index"}
	}
	return good{&row, differs}, nil
}

// quarantine moves a file to quarantine, durably, and reports why.
func (m *repair) quarantine(d *disk.Dir, name, why string) error {
	aside := m.QuarantineName(name)
	if err := d.Rename(name, aside); err != nil {
		return fmt.Errorf("cannot quarantine %s: %w", filepath.Join(d.Path(), name), err)
	}
	m.did("quarantined %s as %s: %s", name, aside, why)
	return d.Sync()
}

// keepOne keeps one of several files with the same content: the listed one, otherwise the logged one,
// otherwise the first.
func (m *repair) keepOne(next good) error {
	keep, again := m.stored[next.ID]
	listed := m.found.Rows[next.ID]
	isListed := func(g good) bool { return listed != nil && listed.File == g.File }
	drop := next
	if !again || !isListed(keep) && (isListed(next) || keep.differs && !next.differs) {
		keep, drop = next, keep
	}
	m.stored[keep.ID] = keep
	if !again {
		return nil
	}
	return m.quarantine(m.Dir, drop.File, "it is a copy of "+keep.File)
}

// collectMarks merges the marks of all rows with those in the log. If the log does not have the time of a
// mark, the first time in the log replaces it. In a synced store each mark comes with its event, so that one without is
// a forgery or a slip, unless git brought the handoff before the store was synced.
func (m *repair) collectMarks() {
	for _, f := range m.found.Indexes {
		for l := range index.Lines(f.Text) {
			row, ok := m.stored[l.Row.ID]
			if !l.IsRow || !ok || !store.SameHandoff(*row.Row, l.Row) {
				continue
			}
			*row.Row = row.WithMark(l.Row.Marks()...)
		}
	}
	if m.Opt.Git == disk.GitTracked { // read marks come with the branch, and have no events
		return
	}
	for id, logged := range m.found.Log.Handoffs() {
		row, ok := m.stored[id]
		if !ok {
			continue
		}
		marks := row.Marks()
		for _, mark := range logged.Marks() {
			at := slices.IndexFunc(marks, func(have index.Mark) bool { return have.Operator == mark.Operator })
			switch {
			case at < 0:
				marks = append(marks, mark)
			case !logged.HasMark(marks[at]):
				marks[at] = mark
			}
		}
		if m.Opt.Git == disk.GitSynced && logged.IsWritten() && !logged.Imported {
			marks = slices.DeleteFunc(marks, func(mark index.Mark) bool { return !logged.HasMark(mark) })
		}
		row.ReadBy = ""
		*row.Row = row.WithMark(marks...)
	}
}

// compareLog finds the handoffs that are lost, and the write events to replace.
func (m *repair) compareLog() {
	lost := func(id string) {
		if _, ok := m.stored[id]; !ok && !m.found.Log.Of(id).Aside && !m.found.Log.Of(id).Pruned {
			m.lost = append(m.lost, id)
		}
	}
	for id := range m.found.Rows {
		if !m.isForged(id) {
			lost(id)
		}
	}
	for id, h := range m.found.Log.Handoffs() {
		if h.IsWritten() && !m.found.IsElsewhere(h) {
			lost(id)
		}
	}
	for id, doc := range m.stored {
		if doc.differs {
			m.superseded = append(m.superseded, id)
		}
	}
	slices.Sort(m.superseded)
	slices.Sort(m.lost)
	m.lost = slices.Compact(m.lost)
}

// isForged reports whether a row without a document is nothing but text. In a synced store each handoff comes with an
// event, so that a row without one was added by a branch or another program.
func (m *repair) isForged(id string) bool {
	log := m.found.Log
	return m.Opt.Git == disk.GitSynced && log.Bad+m.logKeptAs == "" && !log.MayLack(id) &&
		log.Of(id) == eventlog.Handoff{}
}
