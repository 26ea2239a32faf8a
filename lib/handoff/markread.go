package handoff

import (
	"context"
	"io/fs"
	"maps"
	"slices"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

// A MarkReceipt says what MarkRead did for one handoff.
type MarkReceipt struct {
	ID       string `json:"handoff_id"`
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"` // when it was marked, now or before
	Status   string `json:"status"` // StatusMarked or StatusExisting
}

// StatusMarked says that the mark is new.
const StatusMarked = "marked"

// MarkRead records that operator has read the handoffs, durably. It may be anyone, not only the
// recipient. Ids are taken as Read takes them; an unknown one is ErrInvalid, and then nothing is marked. What
// the operator had marked before is StatusExisting and stays as it is. Handoffs in different index files
// are committed file by file.
func (s *Store) MarkRead(ctx context.Context, operator string, ids ...string) (_ []MarkReceipt, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if err := checkOperator(operator); err != nil {
		return nil, err
	}
	if _, err := s.guard(); err != nil {
		return nil, err
	}
	full := make([]string, len(ids))
	for i, id := range ids {
		e, err := s.Find(id)
		if err != nil {
			return nil, err
		}
		full[i] = e.ID
	}
	return s.mark(ctx, operator, full)
}

// MarkAllRead marks every handoff to operator that operator has not read.
func (s *Store) MarkAllRead(ctx context.Context, operator string) (_ []MarkReceipt, err error) {
	defer func() { err = fault.Unpublished(err) }()
	if err := checkOperator(operator); err != nil {
		return nil, err
	}
	if _, err := s.guard(); err != nil {
		return nil, err
	}
	entries, err := s.List(Filter{To: operator, Unread: true})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	return s.mark(ctx, operator, ids)
}

func checkOperator(operator string) error {
	if !form.IsSlug(operator, document.MaxName) {
		return fault.New(ErrInvalid, "use 1 to 64 letters, digits, _ and -", "%q is no operator", operator)
	}
	return nil
}

// mark takes full ids of handoffs that are listed.
func (s *Store) mark(ctx context.Context, operator string, ids []string) ([]MarkReceipt, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	done := make(map[string]MarkReceipt)
	err := s.locked(ctx, func(x *session) error {
		want := make(map[string]bool)
		for _, id := range ids {
			want[id] = true
		}
		m := marking{session: x, mark: index.Mark{Operator: operator, Time: x.now()}, want: want, done: done}
		if err := eachIndex(x.dir, m.file); err != nil {
			return err
		}
		for id := range want {
			return unknownID(id, x.opt.Dir)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	receipts := make([]MarkReceipt, len(ids))
	for i, id := range ids {
		receipts[i] = done[id]
	}
	return receipts, nil
}

// A marking goes through the index files and marks the rows of the ids that it wants.
type marking struct {
	*session
	mark index.Mark
	want map[string]bool
	done map[string]MarkReceipt
}

func (m *marking) file(name string, text []byte) error {
	edits := make(map[string]index.Row)
	for _, row := range rowsOf(text, m.want) {
		delete(m.want, row.ID)
		receipt := MarkReceipt{row.ID, m.mark.Operator, m.mark.Time, StatusMarked}
		for _, old := range row.Marks() {
			if old.Operator == m.mark.Operator {
				receipt.Status, receipt.Time = StatusExisting, old.Time
			}
		}
		m.done[row.ID] = receipt
		if receipt.Status == StatusMarked {
			edits[row.ID] = row.WithMark(m.mark)
		}
	}
	if len(edits) > 0 {
		if err := m.apply(m.step(name, text, edits)); err != nil {
			return err
		}
	}
	if len(m.want) == 0 {
		return fs.SkipAll
	}
	return nil
}

func (m *marking) step(name string, text []byte, edits map[string]index.Row) step {
	st := step{intent: journal.Intent{Op: journal.OpMarkRead, Index: name}}
	for _, id := range slices.Sorted(maps.Keys(edits)) {
		st.intent.Marks = append(st.intent.Marks, journal.Mark{ID: id, Operator: m.mark.Operator, Time: m.mark.Time})
		st.events = append(st.events, event{eventMarkRead, markReadPayload{HandoffID: id, OperatorID: m.mark.Operator, Time: m.mark.Time}})
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

func marksAreThere(x *session, intent *journal.Intent) (bool, error) {
	text, err := readIndex(x.dir, intent.Index)
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
func setMarks(x *session, intent *journal.Intent) error {
	text, err := readIndex(x.dir, intent.Index)
	if err != nil {
		return err
	}
	edits := make(map[string]index.Row)
	for _, m := range intent.Marks {
		l, ok := index.Find(text, m.ID)
		if !ok {
			return &CorruptError{File: x.path(intent.Index), Why: "lost the row of " + m.ID + ", which the audit log says was marked as read"}
		}
		edits[m.ID] = l.Row.WithMark(index.Mark{Operator: m.Operator, Time: m.Time})
	}
	return x.putIndex(intent.Index, index.SetRows(text, edits))
}
