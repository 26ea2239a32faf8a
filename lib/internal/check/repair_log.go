package check

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// cutLog ends the log before the first event that breaks the chain, and keeps a copy of the whole log. Later
// steps record the content of the lost events again, if files and rows still show it.
func (m *repair) cutLog() error {
	facts := m.found.Log
	if facts.Bad == "" {
		return nil
	}
	log, err := m.OpenGrowing(disk.LogFile)
	if err != nil {
		return err
	}
	defer log.Close()
	m.logKeptAs = disk.LogFile + "." + m.stamp
	if err := m.copyLog(m.logKeptAs); err != nil {
		return err
	}
	if err := log.Truncate(facts.Verified); err != nil {
		return err
	}
	if err := m.Rebase(); err != nil {
		return err
	}
	m.did("cut the audit log off before %s, where its chain breaks; the whole log is %s", facts.Bad, m.logKeptAs)
	facts.Torn = ""
	return nil
}

// copyLog stores a copy of the log.
func (m *repair) copyLog(name string) error {
	staged, err := m.State.BeginStage(nil, 0o600)
	if err != nil {
		return err
	}
	defer staged.Discard()
	if _, err = io.Copy(staged, m.found.LogText()); err == nil {
		err = staged.Sync()
	}
	if err == nil {
		err = staged.Publish(name)
	}
	if err == nil {
		err = m.State.Sync()
	}
	return err
}

// missingEvents returns the events that documents, tokens and marks lack. If the whole log is missing, an event
// says so first.
func (m *repair) missingEvents() ([]eventlog.Pending, error) {
	facts := m.found.Log
	events := make([]eventlog.Pending, 0, len(m.superseded))
	if facts.Count == 0 && len(m.stored) > 0 {
		reason := "the audit log was missing"
		if m.logKeptAs != "" {
			reason = "the audit log did not verify from its first event on"
		}
		events = append(events, eventlog.Pending{Type: eventlog.TypeRecovered,
			Payload: eventlog.Recovered{Reason: reason,
				KeptAs: m.logKeptAs, AdoptedRows: len(m.stored)}})
	}
	for _, row := range m.inOrder(m.unlogged()) {
		doc, _, err := m.Load(m.Dir, row)
		if err != nil {
			return nil, err
		}
		events = append(events, txn.Written(m.Store, txn.Publication{Document: &doc, BodySize: len(doc.Body),
			Operators: "unknown"}, row.File, true))
	}
	for _, c := range m.consumed {
		if _, logged := facts.Resumes[c.Token]; !logged && !facts.Of(c.HandoffID).Imported {
			events = append(events, c.Event(false, eventlog.How{}))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.stored)) {
		for _, mark := range m.stored[id].Marks() {
			if h := facts.Of(id); !h.Imported && !h.HasMark(mark) {
				events = append(events, eventlog.Pending{Type: eventlog.TypeMarkRead,
					Payload: eventlog.MarkedRead{HandoffID: id, OperatorID: mark.Operator, Time: mark.Time,
						AlreadyMarked: true}})
			}
		}
	}
	return events, nil
}

// unlogged returns the rows that need a write event.
func (m *repair) unlogged() []index.Row {
	var rows []index.Row
	for id, doc := range m.stored {
		if h := m.found.Log.Of(id); doc.differs || !h.IsWritten() && !h.Imported {
			rows = append(rows, *doc.Row)
		}
	}
	return rows
}

// inOrder sorts rows by their order in the log, and those without an event by time.
func (m *repair) inOrder(rows []index.Row) []index.Row {
	log := m.found.Log
	slices.SortFunc(rows, func(a, b index.Row) int {
		return cmp.Or(log.Of(a.ID).Line-log.Of(b.ID).Line, strings.Compare(a.Time+a.ID, b.Time+b.ID))
	})
	return rows
}
