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

// A Marking goes through the index files and marks the rows of the ids that it wants.
type Marking struct {
	*Session
	Mark index.Mark
	Want map[string]bool
	Done map[string]MarkReceipt
}

func (m *Marking) File(name string, text []byte) error {
	edits := make(map[string]index.Row)
	for _, row := range rowsOf(text, m.Want) {
		delete(m.Want, row.ID)
		receipt := MarkReceipt{row.ID, m.Mark.Operator, m.Mark.Time, StatusMarked}
		for _, old := range row.Marks() {
			if old.Operator == m.Mark.Operator {
				receipt.Status, receipt.Time = StatusExisting, old.Time
			}
		}
		m.Done[row.ID] = receipt
		if receipt.Status == StatusMarked {
			edits[row.ID] = row.WithMark(m.Mark)
		}
	}
	if len(edits) > 0 {
		if err := m.apply(m.plan(name, text, edits)); err != nil {
			return err
		}
	}
	if len(m.Want) == 0 {
		return fs.SkipAll
	}
	return nil
}

func (m *Marking) plan(name string, text []byte, edits map[string]index.Row) step {
	st := step{op: &markRead, intent: Intent{Index: name}}
	for _, id := range slices.Sorted(maps.Keys(edits)) {
		st.intent.Marks = append(st.intent.Marks, IntentMark{ID: id, Operator: m.Mark.Operator, Time: m.Mark.Time})
		st.events = append(st.events, eventlog.Pending{Type: eventlog.TypeMarkRead, Payload: eventlog.MarkedRead{HandoffID: id, OperatorID: m.Mark.Operator, Time: m.Mark.Time}})
	}
	st.commit = func() error { return m.replaceIndex(name, text, index.SetRows(text, edits)) }
	return st
}

// fewIDs is how many ids are searched for one by one; more are looked up while going through the lines.
const fewIDs = 8

// rowsOf returns the first row of each wanted id.
func rowsOf(text []byte, want map[string]bool) []index.Row {
	var rows []index.Row
	if len(want) <= fewIDs {
		for id := range want {
			if l, ok := index.Find(text, id); ok {
				rows = append(rows, l.Row)
			}
		}
		return rows
	}
	seen := make(map[string]bool)
	for l := range index.Lines(string(text)) {
		if l.IsRow && want[l.Row.ID] && !seen[l.Row.ID] {
			seen[l.Row.ID] = true
			rows = append(rows, l.Row)
		}
	}
	return rows
}

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
		l, ok := index.Find(text, m.ID)
		if !ok {
			return &fault.CorruptError{File: x.Path(intent.Index), Why: "lost the row of " + m.ID + ", which the audit log says was marked as read"}
		}
		edits[m.ID] = l.Row.WithMark(index.Mark{Operator: m.Operator, Time: m.Time})
	}
	return x.putIndex(intent.Index, index.SetRows(text, edits), nil)
}
