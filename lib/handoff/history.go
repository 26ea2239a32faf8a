package handoff

import (
	"slices"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/life"
)

// A HistoryEvent is something that happened to a handoff. What says what, such as written, read, taken or done.
// Operator and Session did it. By is the handoff that answers or supersedes this one, Note the reason that the operator
// gave.
type HistoryEvent = life.HistoryEvent

// History returns what happened to a handoff, oldest first. It combines the audit log and the handoffs that answer or
// supersede this one. id is as in Read. Errors are those of Read, and
// ErrIntegrity if the audit log cannot be read.
func (s *Store) History(id string) (Entry, []HistoryEvent, error) {
	e, err := s.Find(id)
	if err != nil {
		return e, nil, err
	}
	all, err := life.History(s.at, e.ID)
	if err != nil {
		return e, nil, err
	}
	facts := s.life()
	for _, by := range facts.Of(e.ID).Replies {
		all = append(all, s.relatedEvents("answered", by)...)
	}
	for _, by := range facts.Successors(e) {
		all = append(all, s.relatedEvents("superseded", by)...)
	}
	for i, h := range all {
		if at, err := time.Parse(time.RFC3339Nano, h.Time); err == nil {
			all[i].Time = at.UTC().Format(time.RFC3339)
		}
	}
	// within a second the order of the log counts: not all times have a fraction
	slices.SortStableFunc(all, func(a, b HistoryEvent) int { return index.CompareTimes(a.Time, b.Time) })
	return e, withWithdrawals(e, all), nil
}

// withWithdrawals returns events with one in place of those that a withdrawal logs: its sender takes, reads and
// finishes a handoff that nobody has read.
func withWithdrawals(e Entry, all []HistoryEvent) []HistoryEvent {
	isRead, withdrawn := e.IsTo(e.From), ""
	for i, h := range all {
		isRead = h.What != "unread" && (isRead || h.What == "read" && h.Operator != e.From)
		if h.What == "done" && h.Operator == e.From && !isRead {
			all[i].What, withdrawn = "withdrawn", h.Time
		}
	}
	return slices.DeleteFunc(all, func(h HistoryEvent) bool {
		return h.Operator == e.From && h.Time == withdrawn && (h.What == "taken" || h.What == "read")
	})
}

// relatedEvents returns the event that another handoff, by, answers or supersedes this one. If by is not stored, there
// is none.
func (s *Store) relatedEvents(what, by string) []HistoryEvent {
	e, err := s.Find(by)
	if err != nil {
		return nil
	}
	return []HistoryEvent{{What: what, Operator: e.From, Time: e.Time, By: e.ID}}
}
