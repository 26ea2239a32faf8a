package repair

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/layout"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// survey reads every stored file. What does not verify, and every copy but one, goes aside.
func (m *mending) survey() error {
	names, err := m.Dir.Names(index.IsFile)
	if err != nil {
		return err
	}
	slices.Sort(names)
	m.stored, m.differs = make(map[string]index.Row), make(map[string]bool)
	rows, differ, errs := make([]index.Row, len(names)), make([]bool, len(names)), make([]error, len(names))
	m.EachShown(store.TaskProve, len(names), 2*runtime.GOMAXPROCS(0), func(i int) { rows[i], differ[i], errs[i] = m.rowOf(names[i]) })
	for i, name := range names {
		switch {
		case errs[i] == nil:
			m.differs[rows[i].ID] = differ[i]
			err = m.keepOne(rows[i])
		case errors.Is(errs[i], fault.ErrIntegrity), errors.Is(errs[i], durable.ErrUnsafe), errors.Is(errs[i], durable.ErrTooLarge):
			err = m.quarantine(m.Dir, name, errs[i].Error())
		default: // a disk that cannot be read is no proof against the file
			err = fmt.Errorf("cannot read %s: %w", m.Path(name), errs[i])
		}
		if err != nil {
			return err
		}
	}
	m.collectMarks()
	m.compareLog()
	return nil
}

// rowOf returns the row that a file should have, without marks, and whether its write event says otherwise.
func (m *mending) rowOf(name string) (row index.Row, differs bool, err error) {
	text, err := m.Dir.ReadFile(name, layout.MaxDocument)
	if err != nil {
		return row, false, err
	}
	doc, err := store.ParseStored(name, text)
	if err != nil {
		return row, false, err
	}
	derived := index.Row{ID: doc.HandoffID, File: name, From: doc.From, To: doc.To, Topic: doc.Topic, Time: doc.Time}
	if err := store.CompareRow(name, doc, derived); err != nil {
		return row, false, err
	}
	if err := m.Opt.CheckBody(doc.Body); err != nil {
		return row, false, &fault.CorruptError{File: name, Why: store.OneLine(err)}
	}
	row, ok := index.ParseRow(derived.String()) // a row of its own lets the text go
	if !ok {
		return row, false, &fault.CorruptError{File: name, Why: "cannot be listed in the index"}
	}
	w, logged := m.found.Log.Writes[row.ID]
	w.FilePath = name // where it lies is compared when it is known which file stays
	return row, logged && w.DiffersFrom(row, &doc) != "", nil
}

func (m *mending) quarantine(d *durable.Dir, name, why string) error {
	aside := m.asideName(name)
	if err := m.moveAside(d, name, aside); err != nil {
		return err
	}
	m.did("put %s aside as %s: %s", name, aside, why)
	return nil
}

// keepOne decides which of several files with the same content stays: the one that is listed, else the
// one that was logged, else the first.
func (m *mending) keepOne(row index.Row) error {
	first, again := m.stored[row.ID]
	if !again {
		m.stored[row.ID] = row
		return nil
	}
	keep, drop := first, row
	listed := m.found.Rows[row.ID]
	logged := path.Base(m.found.Log.Writes[row.ID].FilePath)
	if (listed != nil && listed.File == row.File) || ((listed == nil || listed.File != first.File) && logged == row.File) {
		keep, drop = row, first
	}
	m.stored[row.ID] = keep
	return m.quarantine(m.Dir, drop.File, "it is a copy of "+keep.File)
}

// collectMarks joins the marks of all rows and those that the log records. Where they differ the log is
// right.
func (m *mending) collectMarks() {
	for _, f := range slices.Concat(m.found.Indexes, m.loose) {
		for l := range index.Lines(string(f.Text)) {
			row, ok := m.stored[l.Row.ID]
			if !l.IsRow || !ok || !store.SameHandoff(row, l.Row) {
				continue
			}
			for _, mark := range l.Row.Marks() {
				row = row.WithMark(mark)
			}
			m.stored[row.ID] = row
		}
	}
	for id, logged := range m.found.Log.Marks {
		row, ok := m.stored[id]
		if !ok {
			continue
		}
		marks := row.Marks()
		for _, mark := range logged {
			marks = eventlog.SetMark(marks, mark)
		}
		row.ReadBy = ""
		for _, mark := range marks {
			row = row.WithMark(mark)
		}
		m.stored[id] = row
	}
}

// compareLog finds the handoffs that are lost, and the write events that are to be replaced.
func (m *mending) compareLog() {
	lost := func(id string) {
		if _, ok := m.stored[id]; !ok && !m.found.Log.Aside[id] {
			m.lost = append(m.lost, id)
		}
	}
	for id := range m.found.Rows {
		lost(id)
	}
	for id := range m.found.Log.Unproven.Writes {
		lost(id)
	}
	for id, w := range m.found.Log.Writes {
		lost(id)
		row, ok := m.stored[id]
		if _, twice := m.found.Log.Again[id]; ok && (twice || m.differs[id] || path.Base(w.FilePath) != row.File) {
			m.superseded = append(m.superseded, id)
		}
	}
	slices.Sort(m.superseded)
	slices.Sort(m.lost)
	m.lost = slices.Compact(m.lost)
}
