package txn

import (
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
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
	later  []eventlog.Pending // marks of others that change nothing as long as an earlier one stands

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
				if m.takeBack(&row, mark) {
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
			if m.Done = append(m.Done, receipt); receipt.Status == StatusExisting && m.How.Synced && receipt.Time != mark.Time {
				m.later = append(m.later, marked(row.ID, mark, m.How))
			}
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

// takeBack plans that an operator has not read a handoff up to a time, and reports whether that changes its row. Marks
// that others have made since stand; marks of before that are not known here yet will not count: that is logged in any
// case, if others say it.
func (m *Marking) takeBack(row *index.Row, until index.Mark) bool {
	before := row.ReadBy
	for _, mark := range row.Marks() {
		if mark.Operator == until.Operator && until.Before(mark) && !m.How.Synced {
			until = mark
		}
	}
	if *row = row.WithoutMarks(until); row.ReadBy != before || m.How.Synced {
		m.Done = append(m.Done, MarkReceipt{row.ID, until.Operator, until.Time, StatusChanged})
	} else {
		m.Done = append(m.Done, MarkReceipt{row.ID, until.Operator, until.Time, StatusExisting})
	}
	if later := m.laterMark(row.ID, until); later.Time != "" {
		*row = row.WithMark(later)
	}
	return row.ReadBy != before
}

// laterMark returns the first mark of an operator after a time that the audit log has, which the row lacks since it had
// an earlier one.
func (m *Marking) laterMark(id string, after index.Mark) (first index.Mark) {
	known, err := (&Past{Store: m.Store}).About(id)
	if err != nil {
		return first
	}
	for _, mark := range known.Of(id).AllMarks() {
		if mark.Operator == after.Operator && after.Before(mark) && (first.Time == "" || mark.Before(first)) {
			first = mark
		}
	}
	return first
}

// Commit makes what was planned, as one change.
func (m *Marking) Commit() error {
	if !slices.ContainsFunc(m.Done, MarkReceipt.isNew) && len(m.later) == 0 {
		return nil
	}
	m.change.events = append(m.change.events, m.later...)
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

// Undone has, by handoff and operator, up to which time read marks were taken back.
type Undone map[[2]string]index.Mark

// lately is how much of the end of the log the last seconds fill.
const lately = 64 << 10

// NewMark returns a mark that an operator makes now on handoffs, after the last time up to which their marks were taken
// back.
func (x *Session) NewMark(m index.Mark, ids ...string) (index.Mark, error) {
	log, done, err := eventlog.Open(x.State)
	if err != nil {
		return m, err
	}
	defer done()
	for e := range eventlog.Scan(log, max(0, log.Size()-lately), &err, `"`+eventlog.TypeMarkUnread+`"`) {
		if p, ok := e.Content.(eventlog.MarkedUnread); ok && p.OperatorID == m.Operator && slices.Contains(ids, p.HandoffID) && !(index.Mark{Time: p.Time}).Before(m) {
			if at, ok := form.Instant(p.Time); ok {
				m.Time = at.Add(time.Second).UTC().Format(time.RFC3339)
			}
		}
	}
	return m, err
}

// TakenBack returns what the audit log of a state directory says of marks that were taken back.
func TakenBack(d *disk.Dir) (Undone, error) {
	u := make(Undone)
	return u, each(d, func(p eventlog.MarkedUnread) {
		u.Add(p.HandoffID, index.Mark{Operator: p.OperatorID, Time: p.Time})
	}, `"`+eventlog.TypeMarkUnread+`"`)
}

// Add takes in that a mark, and those before it, were taken back.
func (u Undone) Add(id string, m index.Mark) {
	if key := [2]string{id, m.Operator}; !u.Has(id, m) {
		u[key] = m
	}
}

// Has reports whether a mark was taken back.
func (u Undone) Has(id string, m index.Mark) bool {
	last, is := u[[2]string{id, m.Operator}]
	return is && !last.Before(m)
}
