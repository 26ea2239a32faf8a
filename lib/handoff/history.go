package handoff

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/index"
)

// A HistoryEvent is something that happened to a handoff.
type HistoryEvent struct {
	What     string `json:"event"` // such as written, told, read, taken, answered, done
	Operator string `json:"operator,omitempty"`
	Time     string `json:"ts_utc"`
	Session  string `json:"session_id,omitempty"`
	Agent    string `json:"agent,omitempty"`   // the agent whose session was told
	Note     string `json:"note,omitempty"`    // the reason that the operator gave
	By       string `json:"related,omitempty"` // the handoff that answers or supersedes this one
	Writer   string `json:"writer,omitempty"`  // the clone that the event came from
	Offline  bool   `json:"offline,omitempty"` // the remote was not asked
}

// History returns what happened to a handoff, oldest first. It combines the audit log, the record of what sessions
// were told, and the handoffs that answer or supersede this one. id is as in Read. Errors are those of Read, and
// ErrIntegrity if the audit log cannot be read.
func (s *Store) History(id string) (Entry, []HistoryEvent, error) {
	e, err := s.Find(id)
	if err != nil {
		return e, nil, err
	}
	all, err := s.loggedEvents(e.ID)
	if err != nil {
		return e, nil, err
	}
	for _, o := range s.Sessions().Offers() {
		if slices.Contains(o.IDs, e.ID) {
			all = append(all, HistoryEvent{What: "told", Operator: o.Operator, Time: o.Time, Session: o.Session,
				Agent: o.Agent})
		}
	}
	facts := s.life()
	for _, by := range facts.Of(e.ID).Replies {
		all = append(all, s.relatedEvents("answered", by)...)
	}
	for _, by := range facts.Successors(e) {
		all = append(all, s.relatedEvents("superseded", by)...)
	}
	slices.SortStableFunc(all, func(a, b HistoryEvent) int { return index.CompareTimes(a.Time, b.Time) })
	for i, h := range all {
		if at, err := time.Parse(time.RFC3339Nano, h.Time); err == nil {
			all[i].Time = at.UTC().Format(time.RFC3339)
		}
	}
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

// loggedEvents returns the events of a handoff in the audit log.
func (s *Store) loggedEvents(id string) (all []HistoryEvent, err error) {
	d, err := s.at.OpenDirs()
	if err != nil || d.State == nil {
		return nil, err
	}
	defer d.Close()
	log, done, err := eventlog.Open(d.State)
	if err != nil {
		return nil, err
	}
	defer done()
	for e := range eventlog.Scan(log, 0, &err, strings.TrimPrefix(id, form.IDPrefix)) {
		if e.Err != nil {
			err = errors.Join(err, &CorruptError{File: filepath.Join(d.State.Path(), disk.LogFile), Line: e.Number,
				Why: e.Err.Error()})
			continue
		}
		if what, is := historyOf(e, id); is {
			all = append(all, what)
		}
	}
	return all, err
}

// historyOf returns what an event says about a handoff, and whether it concerns that handoff.
func historyOf(e eventlog.Parsed, id string) (what HistoryEvent, is bool) {
	switch p := e.Content.(type) {
	case eventlog.Written:
		what = HistoryEvent{What: "written", Operator: p.From, Time: p.Time, Writer: p.Writer}
		if e.Type == eventlog.TypeImport {
			what.What, what.Operator, what.Time = "received", "", e.Time
		}
		is = p.HandoffID == id
	case eventlog.Imported:
		what, is = HistoryEvent{What: "received", Time: e.Time}, slices.Contains(p.HandoffIDs, id)
	case eventlog.MarkedRead:
		what, is = HistoryEvent{What: "read", Operator: p.OperatorID, Time: p.Time,
			Offline: p.Offline}, p.HandoffID == id
	case eventlog.MarkedUnread:
		what, is = HistoryEvent{What: "unread", Operator: p.OperatorID, Time: e.Time,
			Offline: p.Offline}, p.HandoffID == id
	case eventlog.Signed:
		what, is = HistoryEvent{What: "signed", Time: e.Time, Note: p.Key}, p.HandoffID == id
	case eventlog.Pruned:
		what, is = HistoryEvent{What: "pruned", Operator: p.Operator, Time: p.Time, Writer: p.Writer}, p.HandoffID == id
	case eventlog.Probed:
		what = HistoryEvent{What: "probed", Operator: p.OperatorID, Time: p.RanAt,
			Note: fmt.Sprintf("%s: %s", p.Probe, p.Verdict)}
		is = p.HandoffID == id
	case eventlog.Resumed:
		what = HistoryEvent{What: "resumed", Operator: p.Operator, Time: p.Time, Session: p.Session, Note: p.Reason,
			Offline: p.Offline}
		if act := p.Act(); act != "" {
			what.What = act.Participle()
		}
		is = p.HandoffID == id && !p.Act().IsNote()
	case eventlog.Repaired:
		what, is = HistoryEvent{What: "lost", Time: e.Time}, slices.Contains(p.Quarantined, id)
	}
	return what, is
}
