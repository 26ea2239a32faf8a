package handoff_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/document"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/log"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// foldsTheSame holds the fold of events against what INDEX.md and the ledger say, once the test is over: the handoffs,
// who has read them, and their states. It leaves out stores that the test has damaged.
func foldsTheSame(t testing.TB, s *handoff.Store, o handoff.Options) {
	t.Helper()
	for _, name := range []string{"TestOlderStateIsNotFromOthers", "TestStampIsNotNewer", "TestMovedStore",
		"TestRepairAfterAnInterruption"} {
		if strings.HasPrefix(t.Name(), name) { // its log is older than its INDEX.md, until the next change recovers
			return
		}
	}
	t.Cleanup(func() {
		if report, err := s.Verify(context.Background()); t.Failed() || err != nil || len(report.Faults) > 0 {
			return
		}
		now := time.Now()
		if o.Now != nil {
			now = o.Now()
		}
		entries, err := s.List(handoff.Filter{})
		if err != nil || len(entries) == 0 {
			return
		}
		v, ok := asEvents(t, o, now)
		if !ok {
			return
		}
		if len(v.All()) != len(entries) {
			t.Errorf("the fold has %d handoffs, INDEX.md %d", len(v.All()), len(entries))
		}
		states := map[string]handoff.State{}
		for _, state := range facts.States {
			chosen, err := s.List(handoff.Filter{State: handoff.State(state)})
			if err != nil {
				t.Error(err)
			}
			for _, e := range chosen {
				states[e.ID] = handoff.State(state)
			}
		}
		for _, e := range entries {
			h := v.Of(e.ID)
			if h == nil || h.File != e.File || h.From != e.From || h.To != e.To || h.Topic != e.Topic || h.Time != e.Time {
				t.Errorf("the fold has %+v, INDEX.md %+v", h, e)
				continue
			}
			l := v.Life(h)
			var marks, readers []string
			for _, m := range e.Marks() {
				marks = append(marks, m.Operator)
			}
			for _, m := range l.Reads {
				readers = append(readers, m.Operator)
			}
			slices.Sort(marks)
			slices.Sort(readers)
			if !slices.Equal(slices.Compact(marks), readers) {
				t.Errorf("%s was read by %v in the fold, by %v in INDEX.md", e.Topic, readers, marks)
			}
			if got := v.State(h, l); states[e.ID] != handoff.State(got) {
				t.Errorf("%s is %s in the fold, %s in the store", e.Topic, got, states[e.ID])
			}
		}
	})
}

// asEvents returns the fold of the audit log of a store, as the log will be written. ok is false if it has events
// of clones that contended, or none of its handoffs.
func asEvents(t testing.TB, o handoff.Options, now time.Time) (v facts.View, ok bool) {
	state, err := disk.OpenDir(o.StateDir)
	if err != nil {
		return v, false
	}
	defer state.Close()
	old, done, err := eventlog.Open(state)
	if err != nil {
		return v, false
	}
	defer done()
	f, err := os.Create(filepath.Join(t.TempDir(), log.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := log.Open(f, log.Point{})
	if err != nil {
		t.Fatal(err)
	}
	v = facts.View{Facts: facts.New(), Now: now}
	written := false
	for e := range eventlog.Scan(eventlog.ParseEvent, old, 0, &err) {
		p, known := asEvent(t, v, o.Dir, e)
		if !known {
			return v, false
		}
		if p.Type == "" {
			continue
		}
		written = written || p.Type == log.Write
		if err := l.Append(now, []log.Pending{p}); err != nil {
			t.Fatal(err)
		}
		if v.At, err = log.Read(f, l.Head().Offset, v.At, v.Add); err != nil {
			t.Fatal(err)
		}
	}
	return v, written && err == nil
}

// asEvent returns the event for a line of the log of today. Without a type it says nothing. known is false for what only
// clones that contend write, and for handoffs whose documents nobody can read.
func asEvent(t testing.TB, v facts.View, dir string, e eventlog.Parsed) (p log.Pending, known bool) {
	switch c := e.Content.(type) {
	case eventlog.Written:
		text, err := os.ReadFile(filepath.Join(dir, filepath.Base(c.FilePath)))
		if err != nil {
			return p, false
		}
		doc, faults := document.ParseStored(text)
		if len(faults) > 0 {
			return p, false
		}
		var references []string
		for _, r := range doc.References {
			if f, err := relation.Parse(r); err == nil && f.Kind != "" {
				references = append(references, r)
			}
		}
		return log.Pending{Type: log.Write, Payload: log.Payload{ID: c.HandoffID, From: c.From, To: c.To, Topic: c.Topic,
			Time: c.Time, File: c.FilePath, References: references}}, true
	case eventlog.MarkedRead:
		return log.Pending{Type: log.MarkRead, Payload: log.Payload{ID: c.HandoffID, Operator: c.OperatorID, Time: c.Time}}, true
	case eventlog.MarkedUnread:
		return log.Pending{Type: log.MarkUnread, Payload: log.Payload{ID: c.HandoffID, Operator: c.OperatorID, Time: e.Time}}, true
	case eventlog.Resumed:
		return asTurn(v, c.Consumption)
	case eventlog.Pruned:
		return log.Pending{Type: log.Prune, Payload: log.Payload{Removed: []string{c.HandoffID}}}, true
	case eventlog.Imported, eventlog.Recovered, eventlog.Repaired:
		return p, false
	}
	return p, true
}

// asTurn returns the event for a line of the ledger.
func asTurn(v facts.View, c eventlog.Consumption) (p log.Pending, known bool) {
	h := v.Of(c.HandoffID)
	if h == nil {
		return p, false
	}
	l := v.Life(h)
	p.Payload = log.Payload{ID: c.HandoffID, Operator: c.Operator, Session: c.Session, Time: c.Time, Until: c.Until}
	if last := l.Last(); last != nil {
		p.Payload.Of = []string{last.ID}
	}
	switch act := c.Act(); act {
	case eventlog.ActTake:
		p.Type = log.Take
	case eventlog.ActRenew:
		p.Type = log.Renew
	case eventlog.ActRelease, eventlog.ActRevoke:
		p.Type = log.Release
	case eventlog.ActDone:
		p.Type = log.Done
		if c.Operator == h.From && h.IsUnread(l, "") && l.Holder == nil {
			p.Type = log.Withdraw
		}
	case eventlog.ActReopen, eventlog.ActResend:
		p.Type = log.Reopen
	case eventlog.ActArchive:
		p.Type = log.Archive
	case eventlog.ActUnarchive:
		p.Type = log.Unarchive
	case eventlog.ActResume:
		p.Type = log.Resume
	default:
		return p, false
	}
	if p.Type == log.Take || p.Type == log.Resume {
		p.Payload.Over = cmp.Or(c.Over, "") != ""
	}
	p.Payload.Nonce = strings.TrimPrefix(c.Token, c.HandoffID)
	return p, true
}
