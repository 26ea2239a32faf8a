package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"

	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/operators"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/schema"
)

const here = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// A place is a store that a test may damage.
type place struct {
	*testing.T
	root string
	ids  map[string]string // by topic
}

// newPlace has b and c in INDEX.md and a in an archive. ben has read b, and resumed from c with token-of-c.
// It has no journal, since that would restore what it has.
func newPlace(t *testing.T) *place {
	t.Helper()
	p := newWhole(t)
	p.remove(".run/journal")
	return p
}

// newWhole is newPlace with the journal.
func newWhole(t *testing.T) *place {
	t.Helper()
	p := &place{t, t.TempDir(), make(map[string]string)}
	s, err := handoff.Open(handoff.Options{Dir: p.path(""), StateDir: p.path(".run"), Root: p.root, UserState: p.root + ".state", IndexMaxRows: 2, Rules: schema.Frontmatter(),
		Fingerprint: func() (string, error) { return here, nil }, Now: func() time.Time { return time.Date(2026, 5, 8, 9, 0, 0, 0, time.UTC) }})
	p.must(err)
	for _, topic := range []string{"a", "b", "c"} {
		r, err := s.Write(t.Context(), source(topic))
		p.must(err)
		p.ids[topic] = r.ID
	}
	_, err = s.MarkRead(t.Context(), "ben", p.ids["b"])
	p.must(err)
	_, err = s.Records().Resume(t.Context(), handoff.Consumption{Token: "token-of-c", HandoffID: p.ids["c"], Operator: "ben"})
	p.must(err)
	return p
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// path returns the path of a file of the store.
func (p *place) path(name string) string {
	if rest, ok := strings.CutPrefix(name, ".run"); ok {
		return filepath.Join(p.root, ".run", rest)
	}
	return filepath.Join(p.root, "handoffs", name)
}

func (p *place) read(name string) string {
	p.Helper()
	text, err := os.ReadFile(p.path(name))
	p.must(err)
	return string(text)
}

func (p *place) put(name, text string) {
	p.Helper()
	p.must(os.WriteFile(p.path(name), []byte(text), 0o600))
}

// replace changes the first occurrence of a text.
func (p *place) replace(name, old, with string) {
	p.Helper()
	text := p.read(name)
	if !strings.Contains(text, old) {
		p.Fatalf("%s has no %q:\n%s", name, old, text)
	}
	p.put(name, strings.Replace(text, old, with, 1))
}

func (p *place) remove(name string) {
	p.Helper()
	p.must(os.RemoveAll(p.path(name)))
}

// instead replaces a file by a directory.
func (p *place) instead(name string) {
	p.Helper()
	p.remove(name)
	p.must(os.Mkdir(p.path(name), 0o700))
}

func (p *place) store() *store.Store {
	return &store.Store{Opt: store.Options{Root: p.root, UserState: p.root + ".state", Dir: p.path(""), StateDir: p.path(".run"), Now: time.Now, Warn: func(string) {}, Lost: func(error) {},
		Fingerprint: func() (string, error) { return here, nil },
		CheckSignature: func(*disk.Dir, string, string, []byte) (operators.Verdict, error) {
			return operators.Verdict{State: operators.Unsigned}, nil
		}}}
}

// verify ignores the missing journal.
func (p *place) verify(ids ...string) check.Report {
	p.Helper()
	r, err := check.Verify(p.Context(), p.store(), ids)
	p.must(err)
	r.Faults = slices.DeleteFunc(r.Faults, func(f check.Finding) bool {
		return f.Place == "journal" && f.Problem == "is missing, but there are events"
	})
	return r
}

func (p *place) look() *check.Snapshot {
	p.Helper()
	s, err := check.Look(p.Context(), p.store())
	p.must(err)
	p.Cleanup(s.Close)
	s.ListRows(nil)
	return s
}

// found reports whether a finding has the place and the words of want, which is PLACE: WORDS.
func found(list []check.Finding, want string) bool {
	at, words, _ := strings.Cut(want, ": ")
	return slices.ContainsFunc(list, func(f check.Finding) bool { return f.Place == at && strings.Contains(f.Problem, words) })
}

// lines returns the findings, one per line.
func lines(list []check.Finding) string {
	var all strings.Builder
	for _, f := range list {
		fmt.Fprintf(&all, "\n  %s {%s}", f, f.Remedy)
	}
	return all.String()
}

// log adds an event as other writers of the log would.
func (p *place) log(eventType string, payload any) {
	p.Helper()
	line, _, err := eventlog.Link(p.look().Log.Head().Hash, eventType, time.Unix(0, 0), payload, nil)
	p.must(err)
	p.put(".run/handoff-events.jsonl", p.read(".run/handoff-events.jsonl")+string(line))
}

// logText adds an event and changes its line.
func (p *place) logText(change func(string) string) {
	p.Helper()
	before := p.read(".run/handoff-events.jsonl")
	p.log(eventlog.TypeRotate, map[string]any{})
	p.put(".run/handoff-events.jsonl", before+change(p.read(".run/handoff-events.jsonl")[len(before):]))
}
