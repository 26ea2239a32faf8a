package txn

import (
	"io/fs"
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A MarkReceipt is what MarkRead did to one handoff.
type MarkReceipt struct {
	ID       string `json:"handoff_id"`
	Operator string `json:"operator"`
	Time     string `json:"ts_utc"` // when it was marked, now or before
	Status   string `json:"status"` // StatusChanged or StatusExisting
}

// The values of MarkReceipt.Status.
const (
	StatusChanged  = "changed"
	StatusExisting = "existing" // nothing was changed
)

// A Marking visits the index files and adds the wanted marks to rows, by id.
type Marking struct {
	*Session
	Want map[string][]index.Mark
	Done []MarkReceipt

	change change
	later  []eventlog.Pending // marks of others that have no effect because of an earlier mark

	Undo  bool // remove the marks of the wanted operators
	Exact bool // with Undo: marks that are later than the wanted ones stay
	// a mark replaces a later one of the row, so that replicas that exchange marks end with the same marks
	Earliest bool
}

// File plans the marks of one index file. An existing mark stays and is reported as existing. With Earliest
// set, an earlier mark replaces it.
func (m *Marking) File(name string, text []byte) error {
	edits := make(map[string]index.Row)
	for _, row := range index.First(text, m.Want) {
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
			if m.Done = append(m.Done, receipt); receipt.Status == StatusExisting && m.How.Synced &&
				receipt.Time != mark.Time {
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

// takeBack plans that an operator has not read a handoff up to a time, and reports whether that changes the
// row. Marks that others made later stay. Earlier marks that arrive later will not count: if others report
// them, they are logged anyway.
func (m *Marking) takeBack(row *index.Row, until index.Mark) bool {
	before := row.ReadBy
	for _, mark := range row.Marks() {
		if mark.Operator == until.Operator && until.Before(mark) && !m.Exact {
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

// laterMark returns the first mark of an operator after a time, as in the audit log. The row lacks it because
// it had an earlier mark.
func (m *Marking) laterMark(id string, after index.Mark) (first index.Mark) {
	known, err := (&History{Store: m.Store}).About(id)
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

// Commit makes the planned marks as one change.
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

// event returns the event of a mark that was added or removed.
func (m *Marking) event(r MarkReceipt) eventlog.Pending {
	if m.Undo {
		return eventlog.Pending{Type: eventlog.TypeMarkUnread,
			Payload: eventlog.MarkedUnread{HandoffID: r.ID, OperatorID: r.Operator, Time: r.Time, How: m.How}}
	}
	return marked(r.ID, index.Mark{Operator: r.Operator, Time: r.Time}, m.How)
}

func (r MarkReceipt) isNew() bool { return r.Status == StatusChanged }

// marked returns the event of a read mark.
func marked(id string, m index.Mark, how eventlog.How) eventlog.Pending {
	return eventlog.Pending{Type: eventlog.TypeMarkRead,
		Payload: eventlog.MarkedRead{HandoffID: id, OperatorID: m.Operator, Time: m.Time, How: how}}
}

// Undone holds the time up to which read marks were removed, by handoff and operator.
type Undone map[[2]string]index.Mark

// unreadNeedle is in each event that removes a mark. It begins with a letter that is rarer than the quote before the
// type of an event, so that the search is fast.
const unreadNeedle = `mark_unread"`

// recentBytes is the size of the end of the log that holds the events of the last seconds.
const recentBytes = 64 << 10

// NewMark returns the mark that an operator adds now. It is later than the last time up to which marks of the
// operator were removed.
func (x *Session) NewMark(m index.Mark, ids ...string) (index.Mark, error) {
	undone, err := TakenBack(x.State, recentBytes)
	for _, id := range ids {
		m = undone.after(id, m)
	}
	return m, err
}

// after returns the mark, later than those that were removed.
func (u Undone) after(id string, m index.Mark) index.Mark {
	last := u[[2]string{id, m.Operator}]
	if at, ok := form.Instant(last.Time); ok && u.Has(id, m) {
		m.Time = at.Add(time.Second).UTC().Format(time.RFC3339)
	}
	return m
}

// TakenBack returns the removed marks in the last bytes of the audit log of a state directory.
func TakenBack(d *disk.Dir, last int64) (Undone, error) {
	u := make(Undone)
	return u, each(d, last, func(p eventlog.MarkedUnread) {
		u.Add(p.HandoffID, index.Mark{Operator: p.OperatorID, Time: p.Time})
	}, unreadNeedle)
}

// Add records that a mark and all earlier ones were removed.
func (u Undone) Add(id string, m index.Mark) {
	if key := [2]string{id, m.Operator}; !u.Has(id, m) {
		u[key] = m
	}
}

// Has reports whether a mark was removed.
func (u Undone) Has(id string, m index.Mark) bool {
	last, is := u[[2]string{id, m.Operator}]
	return is && !last.Before(m)
}
