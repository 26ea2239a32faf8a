package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
	"github.com/seed-78daf238/handoff/schema"
)

// A placeIn is a store that a test may break.
type placeIn struct {
	*testing.T
	root string
	*handoff.Store
	now time.Time
}

func newPlaceIn(t *testing.T) *placeIn {
	t.Helper()
	p := &placeIn{T: t, root: t.TempDir(), now: time.Date(2026, 5, 8, 9, 0, 0, 0, time.UTC)}
	s, err := handoff.Open(handoff.Options{Dir: filepath.Join(p.root, "handoffs"), StateDir: filepath.Join(p.root, ".run"), Root: p.root, UserState: p.root + ".state", Rules: schema.Frontmatter(), IndexMaxRows: 2,
		Fingerprint: func() (string, error) { return strings.Repeat("a", 64), nil }, Now: func() time.Time { p.now = p.now.Add(1); return p.now }})
	if err != nil {
		t.Fatal(err)
	}
	p.Store = s
	return p
}

func (p *placeIn) write(topic string) handoff.Receipt {
	p.Helper()
	r, err := p.Store.Write(p.Context(), fmt.Appendf(nil, "---\nschema_version: '1.0'\nfrom: ann\nto: ben\ntopic: '%s'\nts_utc: '2026-05-07T12:00:00Z'\n---\nbody of %[1]s\n", topic))
	if err != nil {
		p.Fatal(err)
	}
	return r
}

func (p *placeIn) index() string  { return filepath.Join(p.root, "handoffs", "INDEX.md") }
func (p *placeIn) events() string { return filepath.Join(p.root, ".run", "handoff-events.jsonl") }

func (p *placeIn) read(path string) string {
	p.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

func (p *placeIn) put(path, text string) {
	p.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// log adds an event as other writers of the log would.
func (p *placeIn) log(eventType string, payload any) {
	p.Helper()
	head, err := p.AuditLog().Head()
	if err != nil {
		p.Fatal(err)
	}
	line, _, err := eventlog.Link(head.Hash, eventType, p.now, payload, nil)
	if err != nil {
		p.Fatal(err)
	}
	p.put(p.events(), p.read(p.events())+string(line))
}

func (p *placeIn) verify() handoff.Report {
	p.Helper()
	r, err := p.Verify(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return r
}

func (p *placeIn) repair() []string {
	p.Helper()
	r, err := p.Maintenance().Repair(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return r.Done
}

// forget removes the journal, as in a store of another program.
func (p *placeIn) forget() {
	p.Helper()
	if err := os.Remove(p.state(journal.FileName)); err != nil {
		p.Fatal(err)
	}
}

// Other programs log marks and writes again, and twice if two mark at the same time. The first counts,
// whichever of the times the row has, and nothing needs repair.
func TestLogThatRepeats(t *testing.T) {
	const first, second = "2026-05-08T09:00:00Z", "2026-05-08T09:00:01Z"
	for _, inRow := range []string{first, second} {
		p := newPlaceIn(t)
		r := p.write("t")
		if _, err := p.MarkRead(t.Context(), "ben", r.ID); err != nil {
			t.Fatal(err)
		}
		p.forget()
		p.log(eventlog.TypeMarkRead, eventlog.MarkedRead{HandoffID: r.ID, OperatorID: "ben", Time: second})
		p.log(eventlog.TypeMarkRead, eventlog.MarkedRead{HandoffID: r.ID, OperatorID: "ben", Time: "2026-05-08T10:00:00Z", AlreadyMarked: true})
		p.log(eventlog.TypeMarkRead, eventlog.MarkedRead{HandoffID: r.ID, OperatorID: "ben", Time: first, AlreadyMarked: true})
		p.log(eventlog.TypeWrite, eventlog.Written{HandoffID: r.ID, From: "ann", To: "ben", Topic: "t", Time: "2026-05-07T12:00:00Z"})
		p.put(p.index(), strings.Replace(p.read(p.index()), "ben:"+first, "ben:"+inRow, 1))
		before := p.read(p.index())
		report := p.verify()
		if len(report.Faults) != 1 || report.Faults[0].Place != journal.FileName || len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0].Problem, "4 events from here on repeat") {
			t.Errorf("%s: %+v", inRow, report)
		}
		if done := p.repair(); len(done) != 0 || p.read(p.index()) != before {
			t.Errorf("%s: %q, and the index is\n%s", inRow, done, p.read(p.index()))
		}
		if report := p.verify(); len(report.Faults) != 0 || len(report.Warnings) != 1 {
			t.Errorf("%s: after the repair %+v", inRow, report)
		}
		p.forget()
		p.put(p.index(), strings.Replace(before, "ben:"+inRow, "", 1))
		if p.repair(); !strings.Contains(p.read(p.index()), "ben:"+first) {
			t.Errorf("%s: a lost mark does not come back as the first:\n%s", inRow, p.read(p.index()))
		}
		p.forget()
		p.put(p.index(), strings.Replace(before, "ben:"+inRow, "ben:2026-05-09T00:00:00Z", 1))
		if report := p.verify(); len(report.Faults) != 3 {
			t.Errorf("%s: a time that nothing records: %+v", inRow, report)
		}
		if p.repair(); !strings.Contains(p.read(p.index()), "ben:"+first) {
			t.Errorf("%s: a time that nothing records stays:\n%s", inRow, p.read(p.index()))
		}
	}
}
