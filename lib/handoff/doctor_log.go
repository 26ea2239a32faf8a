package handoff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// cutLog ends the log before the first event that does not continue the chain. The whole log stays beside.
// What the rest recorded is then recorded anew, as far as files and rows still show it.
func (m *mending) cutLog() error {
	facts := m.found.log
	if facts.bad == "" {
		return nil
	}
	log, err := m.log(false)
	if err != nil || log == nil {
		return err
	}
	defer log.Close()
	if err := canBeCut(log); err != nil {
		return err
	}
	m.logKeptAs = logName + "." + m.stamp
	if err := m.keepCopy(m.state, m.logKeptAs, m.found.logText); err != nil {
		return err
	}
	if err := log.Truncate(facts.verified); err != nil {
		return err
	}
	m.did("cut the audit log off before %s, where its chain breaks; the whole log is %s", facts.bad, m.logKeptAs)
	facts.torn = false
	return log.Sync()
}

// missingEvents returns the events that documents and marks should have and do not: what was adopted without needs
// none, as long as it can be told from what was not. A log that is missing
// as a whole begins with one event that says so.
func (m *mending) missingEvents() ([]event, error) {
	facts := m.found.log
	if len(facts.hashes) == 0 && len(m.stored) > 0 {
		reason := "the audit log was missing"
		if m.logKeptAs != "" {
			reason = "the audit log did not verify from its first event on"
		}
		all := adoption{tokens: len(m.consumed)}
		for _, row := range m.stored {
			all.count(row, nil)
		}
		return []event{all.event(reason, m.logKeptAs)}, nil
	}
	needs := func(string) bool { return true }
	if m.isCovered() {
		needs = func(id string) bool { return !facts.mayLack(id) }
	}
	events := make([]event, 0, len(m.superseded))
	for _, row := range m.inOrder(m.unlogged(needs)) {
		doc, _, err := m.load(m.dir, Entry{row})
		if err != nil {
			return nil, err
		}
		stored := admitted{operators: "unknown"}
		stored.Document = doc
		events = append(events, event{eventWrite, m.writePayload(stored, row.File)})
	}
	events = append(events, m.unloggedResumes(needs)...)
	for _, id := range slices.Sorted(maps.Keys(m.stored)) {
		for _, mark := range m.stored[id].Marks() {
			if needs(id) && !slices.Contains(facts.marks[id], mark) {
				events = append(events, event{eventMarkRead, markReadPayload{id, mark.Operator, mark.Time, true}})
			}
		}
	}
	return events, nil
}

// unlogged returns the rows that need a write event.
func (m *mending) unlogged(needs func(id string) bool) []index.Row {
	var rows []index.Row
	for id, row := range m.stored {
		_, logged := m.found.log.writes[id]
		if (!logged && needs(id)) || slices.Contains(m.superseded, id) {
			rows = append(rows, row)
		}
	}
	return rows
}

// inOrder sorts rows as they were logged, those that were not by the time of their documents.
func (m *mending) inOrder(rows []index.Row) []index.Row {
	writes := m.found.log.writes
	slices.SortFunc(rows, func(a, b index.Row) int {
		return cmp.Or(writes[a.ID].line-writes[b.ID].line, strings.Compare(a.Time+a.ID, b.Time+b.ID))
	})
	return rows
}
