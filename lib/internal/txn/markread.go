package txn

import (
	"io/fs"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A MarkReceipt says what MarkRead did for one handoff.
type MarkReceipt struct {
	ID       string `json:"handoff_id"`
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"` // when it was marked, now or before
	Status   string `json:"status"` // StatusMarked or StatusExisting
}

// What a MarkReceipt can say.
const (
	StatusMarked   = "marked"
	StatusExisting = "existing" // it was marked before; nothing was changed
)

// markRead gives rows of one index file a read mark; its replacement commits it.
var markRead = Operation{Name: "mark-read", committed: marksAreThere, redo: setMarks}

// A Marking goes through the index files and gives rows the marks that are wanted, by id.
type Marking struct {
	*Session
	Want map[string][]index.Mark
	Done []MarkReceipt

	Earliest bool // a mark that is older than that of the row takes its place: those who exchange marks end with the same
}

// File marks what is wanted in one index file, as one change. A mark that is there stays, and is reported
// as existing; with Earliest an earlier one takes its place.
func (m *Marking) File(name string, text []byte) error {
	edits := make(map[string]index.Row)
	st := step{op: &markRead, intent: Intent{Index: name}}
	for _, row := range rowsOf(text, m.Want) {
		for _, mark := range m.Want[row.ID] {
			receipt := MarkReceipt{row.ID, mark.Operator, mark.Time, StatusMarked}
			for _, old := range row.Marks() {
				if old.Operator == mark.Operator && !(m.Earliest && mark.Before(old)) {
					receipt.Status, receipt.Time = StatusExisting, old.Time
				}
			}
			if receipt.Status == StatusMarked {
				row = row.WithMark(mark)
				if m.Earliest {
					row = row.WithEarlier(mark)
				}
				edits[row.ID] = row
				st.mark(row.ID, mark, m.How)
			}
			m.Done = append(m.Done, receipt)
		}
		delete(m.Want, row.ID)
	}
	if len(edits) > 0 {
		st.commit = func() error { return m.replaceIndex(name, text, index.SetRows(text, edits)) }
		if err := m.apply(st); err != nil {
			return err
		}
	}
	if len(m.Want) == 0 {
		return fs.SkipAll
	}
	return nil
}

// mark adds a read mark to what a step is going to do, and its event.
func (st *step) mark(id string, m index.Mark, how eventlog.How) {
	st.intent.Marks = append(st.intent.Marks, IntentMark{ID: id, Operator: m.Operator, Time: m.Time})
	st.events = append(st.events, eventlog.Pending{Type: eventlog.TypeMarkRead, Payload: eventlog.MarkedRead{HandoffID: id, OperatorID: m.Operator, Time: m.Time, How: how}})
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

// marksAreThere reports whether the marks of an intent were committed.
func marksAreThere(x *Session, intent *Intent) (bool, error) {
	text, err := store.ReadIndex(x.Dir, intent.Index)
	if err != nil {
		return false, err
	}
	for _, m := range intent.Marks {
		if l, ok := index.Find(text, m.ID); ok && l.Row.IsReadBy(m.Operator) {
			return true, nil // they came in one rename
		}
	}
	return false, nil
}

// setMarks is for an index file that was put back to an older state while the log went on.
func setMarks(x *Session, intent *Intent) error {
	text, err := store.ReadIndex(x.Dir, intent.Index)
	if err != nil {
		return err
	}
	edits := make(map[string]index.Row)
	for _, m := range intent.Marks {
		row, ok := edits[m.ID]
		if !ok {
			l, there := index.Find(text, m.ID)
			if !there {
				return &fault.CorruptError{File: x.Path(intent.Index), Why: "lost the row of " + m.ID + ", which the audit log says was marked as read"}
			}
			row = l.Row
		}
		edits[m.ID] = row.WithMark(index.Mark{Operator: m.Operator, Time: m.Time})
	}
	return x.putIndex(intent.Index, index.SetRows(text, edits), nil)
}
