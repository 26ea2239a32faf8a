package txn

import (
	"io/fs"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A MarkReceipt says what MarkRead did for one handoff.
type MarkReceipt struct {
	ID       string `json:"handoff_id"`
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"` // when it was marked, now or before
	Status   string `json:"status"` // StatusChanged or StatusExisting
}

// What a MarkReceipt can say.
const (
	StatusChanged  = "changed"
	StatusExisting = "existing" // it was so before; nothing was changed
)

// A Marking goes through the index files and gives rows the marks that are wanted, by id.
type Marking struct {
	*Session
	Want map[string][]index.Mark
	Done []MarkReceipt

	change change

	Undo     bool // the marks of the wanted operators are taken back
	Earliest bool // a mark that is older than that of the row takes its place: those who exchange marks end with the same
}

// File plans what is wanted in one index file. A mark that is there stays, and is reported as existing; with
// Earliest an earlier one takes its place.
func (m *Marking) File(name string, text []byte) error {
	edits := make(map[string]index.Row)
	for _, row := range rowsOf(text, m.Want) {
		for _, mark := range m.Want[row.ID] {
			if m.Undo {
				if m.takeBack(&row, mark.Operator) {
					edits[row.ID] = row
				}
				continue
			}
			receipt := MarkReceipt{row.ID, mark.Operator, mark.Time, StatusChanged}
			for _, old := range row.Marks() {
				if old.Operator == mark.Operator && !(m.Earliest && mark.Before(old)) {
					receipt.Status, receipt.Time = StatusExisting, old.Time
				}
			}
			if receipt.Status == StatusChanged {
				row = row.WithMark(mark)
				if m.Earliest {
					row = row.WithEarlier(mark)
				}
				edits[row.ID] = row
			}
			m.Done = append(m.Done, receipt)
		}
		delete(m.Want, row.ID)
	}
	if len(edits) > 0 {
		m.setRows(&m.change, name, text, edits)
	}
	if len(m.Want) == 0 {
		return fs.SkipAll
	}
	return nil
}

// takeBack plans that an operator has not read a handoff, and reports whether that changes its row.
func (m *Marking) takeBack(row *index.Row, operator string) bool {
	for _, mark := range row.Marks() {
		if mark.Operator != operator {
			continue
		}
		*row = row.WithoutMarks(mark)
		m.Done = append(m.Done, MarkReceipt{row.ID, operator, mark.Time, StatusChanged})
		return true
	}
	m.Done = append(m.Done, MarkReceipt{row.ID, operator, m.Now(), StatusExisting})
	return false
}

// Commit makes what was planned, as one change.
func (m *Marking) Commit() error {
	if !slices.ContainsFunc(m.Done, MarkReceipt.isNew) {
		return nil
	}
	m.change.Op, m.change.more = "mark-read", func(yield func(eventlog.Pending) bool) {
		for _, r := range m.Done {
			if r.isNew() && !yield(m.event(r)) {
				return
			}
		}
	}
	return m.commit(&m.change)
}

// event is the event of a mark that was made or taken back.
func (m *Marking) event(r MarkReceipt) eventlog.Pending {
	if m.Undo {
		return eventlog.Pending{Type: eventlog.TypeMarkUnread,
			Payload: eventlog.MarkedUnread{HandoffID: r.ID, OperatorID: r.Operator, Time: r.Time, How: m.How}}
	}
	return marked(r.ID, index.Mark{Operator: r.Operator, Time: r.Time}, m.How)
}

func (r MarkReceipt) isNew() bool { return r.Status == StatusChanged }

// marked is the event of a read mark.
func marked(id string, m index.Mark, how eventlog.How) eventlog.Pending {
	return eventlog.Pending{Type: eventlog.TypeMarkRead, Payload: eventlog.MarkedRead{HandoffID: id, OperatorID: m.Operator, Time: m.Time, How: how}}
}

// fewIDs is how many ids are searched for one by one; more are looked up while going through the lines.
const fewIDs = 8

// rowsOf returns the first row of each wanted id.
func rowsOf[T any](text []byte, want map[string]T) []index.Row {
	var rows []index.Row
	if len(want) <= fewIDs {
		for _, id := range slices.Sorted(maps.Keys(want)) {
			if l, ok := index.Find(text, id); ok {
				rows = append(rows, l.Row)
			}
		}
		return rows
	}
	seen := make(map[string]bool)
	for l := range index.Lines(string(text)) {
		if _, wanted := want[l.Row.ID]; wanted && l.IsRow && !seen[l.Row.ID] {
			seen[l.Row.ID] = true
			rows = append(rows, l.Row)
		}
	}
	return rows
}
