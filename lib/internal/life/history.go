package life

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A HistoryEvent is something that happened to a handoff.
type HistoryEvent struct {
	What     string `json:"event"` // such as written, read, taken, answered, done
	Operator string `json:"operator,omitempty"`
	Time     string `json:"ts_utc"`
	Session  string `json:"session_id,omitempty"`
	Note     string `json:"note,omitempty"`    // the reason that the operator gave
	By       string `json:"related,omitempty"` // the handoff that answers or supersedes this one
}

// History returns the events of a handoff in the audit log, in its order. What the journal does not prove is left
// out. If a line that it proves was changed, the error is fault.ErrIntegrity.
func History(at *store.Store, id string) (all []HistoryEvent, err error) {
	d, err := at.OpenDirs()
	if err != nil || d.State == nil {
		return nil, err
	}
	defer d.Close()
	log, done, err := eventlog.Open(d.State)
	if err != nil {
		return nil, err
	}
	defer done()
	head, last, line := d.LogHead(), eventlog.Genesis, 0
	if head.IsProven {
		log = io.NewSectionReader(log, 0, head.End)
	}
	corrupt := func(why error) error {
		return &fault.CorruptError{File: filepath.Join(d.State.Path(), disk.LogFile), Line: line, Why: why.Error()}
	}
	digits := []byte(strings.TrimPrefix(id, form.IDPrefix))
	names := func(l eventlog.Line) bool { return bytes.Contains(l.Text, digits) }
	parse := func(l eventlog.Line) eventlog.Parsed {
		if names(l) {
			return eventlog.ParseEvent(l)
		}
		return eventlog.Chained(l)
	}
	for e := range eventlog.Scan(parse, log, 0, &err) {
		isBroken := e.Err != nil || e.Prev != last
		switch last, line = e.Hash, e.Number; {
		case isBroken && head.IsProven:
			return nil, corrupt(cmp.Or(e.Err, errBroken))
		case !names(e.Line):
			continue
		case e.Err != nil:
			err = errors.Join(err, corrupt(e.Err))
			continue
		}
		what, is := historyOf(e, id)
		act, _ := e.Content.(eventlog.Resumed)
		isRepeated := act.Act().IsNote() && slices.Contains(all, what) // a note says again what another line says
		if is && !isRepeated {
			all = append(all, what)
		}
	}
	if err == nil && head.IsProven && last != head.Hash {
		err = corrupt(errBroken)
	}
	return all, err
}

// errBroken says that a line or the one before was changed.
var errBroken = errors.New("the line or the one before was changed: run `handoff verify`")

// historyOf returns what an event says about a handoff, and whether it concerns that handoff.
func historyOf(e eventlog.Parsed, id string) (what HistoryEvent, is bool) {
	switch p := e.Content.(type) {
	case eventlog.Written:
		what = HistoryEvent{What: "written", Operator: p.From, Time: p.Time}
		if e.Type == eventlog.TypeImport {
			what.What, what.Operator, what.Time = "received", "", e.Time
		}
		is = p.HandoffID == id
	case eventlog.Imported:
		what, is = HistoryEvent{What: "received", Time: e.Time}, slices.Contains(p.HandoffIDs, id)
	case eventlog.MarkedRead:
		what, is = HistoryEvent{What: "read", Operator: p.OperatorID, Time: p.Time},
			p.HandoffID == id
	case eventlog.MarkedUnread:
		what, is = HistoryEvent{What: "unread", Operator: p.OperatorID, Time: e.Time},
			p.HandoffID == id
	case eventlog.Signed:
		what, is = HistoryEvent{What: "signed", Time: e.Time, Note: p.Key}, p.HandoffID == id
	case eventlog.Resumed:
		what = HistoryEvent{What: "resumed", Operator: p.Operator, Time: p.Time, Session: p.Session, Note: p.Reason}
		if act := p.Act(); act != "" {
			what.What = act.Participle()
		}
		is = p.HandoffID == id
	case eventlog.Repaired:
		what, is = HistoryEvent{What: "lost", Time: e.Time}, slices.Contains(p.Quarantined, id)
	}
	return what, is
}
