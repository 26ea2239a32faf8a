package check_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/journal"
)

func (p *placeIn) in(name string) string    { return filepath.Join(p.root, "handoffs", name) }
func (p *placeIn) state(name string) string { return filepath.Join(p.root, ".run", name) }

func (p *placeIn) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// replace changes the first occurrence of a text.
func (p *placeIn) replace(path, old, with string) {
	p.Helper()
	text := p.read(path)
	if !strings.Contains(text, old) {
		p.Fatalf("%s has no %q:\n%s", path, old, text)
	}
	p.put(path, strings.Replace(text, old, with, 1))
}

// instead replaces a file by a directory.
func (p *placeIn) instead(path string) {
	p.Helper()
	p.must(os.Remove(path))
	p.must(os.Mkdir(path, 0o700))
}

// full returns a place with b and c in INDEX.md and a in an archive. ben has read b, and resumed from c with
// a token.
func full(t *testing.T) *placeIn {
	t.Helper()
	p := newPlaceIn(t)
	ids := make(map[string]string)
	for _, topic := range []string{"a", "b", "c"} {
		ids[topic] = p.write(topic).ID
	}
	_, err := p.MarkRead(t.Context(), "ben", ids["b"])
	p.must(err)
	_, err = p.Records().Resume(t.Context(), handoff.Consumption{Token: "token-of-c", HandoffID: ids["c"], Operator: "ben"})
	p.must(err)
	return p
}

// listed returns the topics of the rows, each with its readers.
func (p *placeIn) listed() string {
	p.Helper()
	entries, err := p.List(handoff.Filter{})
	p.must(err)
	var all []string
	for _, e := range entries {
		line := e.Topic
		for _, m := range e.Marks() {
			line += " " + m.Operator
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// kept returns the files of a directory whose names begin with prefix.
func kept(t *testing.T, dir, begin string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), begin) {
			names = append(names, e.Name())
		}
	}
	return names
}

const (
	whole    = "a, b ben, c ben"
	otherDoc = "2026-05-07-ann-ben-b.md"
)

// repairs are kinds of damage: a part of the report of Repair, the rows afterwards, and the prefix of the
// file that is kept, "" if none is.
var repairs = []struct {
	name               string
	do                 func(p *placeIn)
	says, listed, kept string
}{
	{"a row is lost", func(p *placeIn) { p.replace(p.index(), "| ann | ben | b |", "| nobody |") }, "1 row, 0 read marks and 0 events added", whole, "INDEX.md."},
	{"INDEX.md is lost", func(p *placeIn) { p.must(os.Remove(p.index())) }, "wrote INDEX.md: 2 rows", whole, ""},
	{"INDEX.md is a directory", func(p *placeIn) { p.instead(p.index()) }, "it is not a regular file", whole, "quarantine-"},
	{"INDEX.md is one line", func(p *placeIn) { p.put(p.index(), strings.Repeat("x", disk.MaxLine)) }, "2 rows", whole, "INDEX.md."},
	{"INDEX.md is a line without end", func(p *placeIn) { p.put(p.index(), strings.Repeat("x", 2*disk.MaxLine)) }, "has a line of more than", whole, "quarantine-"},
	{"the links are lost", func(p *placeIn) { p.replace(p.index(), "- [INDEX-0001.md](INDEX-0001.md)\n", "") }, "wrote INDEX.md", whole, "INDEX.md."},
	{"an archive is lost", func(p *placeIn) { p.must(os.Remove(p.in("INDEX-0001.md"))) }, "wrote INDEX.md: 1 row", whole, "INDEX.md."},
	{"an archive is emptied", func(p *placeIn) { p.put(p.in("INDEX-0001.md"), "") }, "wrote INDEX.md: 1 row", whole, "INDEX.md."},
	{"a mark is lost", func(p *placeIn) { p.replace(p.index(), "ben:2026-05-08T09:00:00Z |\n", "|\n") }, "0 rows, 1 read mark", whole, "INDEX.md."},

	{"a document is changed", func(p *placeIn) { p.replace(p.in(otherDoc), "body of b", "body of x") }, "quarantined " + otherDoc, "a, c ben", "quarantine-"},
	{"a document is a directory", func(p *placeIn) { p.instead(p.in(otherDoc)) }, "recorded as lost", "a, c ben", "quarantine-"},
	{"a document is lost", func(p *placeIn) { p.must(os.Remove(p.in(otherDoc))) }, "recorded as lost", "a, c ben", "INDEX.md."},
	{"a document is there twice", func(p *placeIn) { p.put(p.in("2026-05-07-ann-ben-b-2.md"), p.read(p.in(otherDoc))) }, "it is a copy of " + otherDoc, whole, "quarantine-"},
	{"a long name", func(p *placeIn) { p.put(p.in("2026-05-07-"+strings.Repeat("x", 230)+".md"), "x") }, "is not a valid handoff", whole, "quarantine-"},
	{"a leftover", func(p *placeIn) { p.put(p.in(".tmp-0123456789abcdef01234567"), "x") }, "", whole, ""},

	{"the log is lost", func(p *placeIn) { p.must(os.Remove(p.events())) }, "7 events added", whole, ""},
	{"the log is a directory", func(p *placeIn) { p.instead(p.events()) }, "quarantined handoff-events.jsonl", whole, "quarantine-"},
	{"the log is torn", func(p *placeIn) { p.put(p.events(), p.read(p.events())+`{"event`) }, "", whole, "handoff-events.torn"},
	{"an event is changed", func(p *placeIn) { p.replace(p.events(), `"topic":"b"`, `"topic":"x"`) }, "cut the audit log off before handoff-events.jsonl:3", whole, "handoff-events.jsonl."},
	{"the first event is none", func(p *placeIn) { p.replace(p.events(), "{", "(") }, "cut the audit log off before handoff-events.jsonl:1", whole, "handoff-events.jsonl."},
	{"the journal is none", func(p *placeIn) { p.put(p.state(journal.FileName), "x") }, "quarantined journal", whole, "quarantine-"},
	{"the journal is a directory", func(p *placeIn) { p.must(os.Mkdir(p.state(journal.FileName), 0o700)) }, "quarantined journal", whole, "quarantine-"},
	{"a journal did not get there", func(p *placeIn) { p.put(p.state(journal.NewFileName), "x") }, "", whole, ""},

	{"a token is lost", func(p *placeIn) { p.must(os.Remove(p.state(disk.Ledger))) }, "1 consumed tokens added from the audit log; there was no file", whole, ""},
	{"a token is another's", func(p *placeIn) { p.replace(p.state(disk.Ledger), `"ben"`, `"eve"`) }, "wrote consumed-tokens.jsonl", whole, disk.Ledger + "."},
	{"the ledger is torn", func(p *placeIn) {
		p.put(p.state(disk.Ledger), p.read(p.state(disk.Ledger))+`{"token":"torn-token",`)
	}, "", whole, disk.Ledger + "."},
	{"the ledger is a directory", func(p *placeIn) { p.instead(p.state(disk.Ledger)) }, "1 consumed tokens added", whole, "quarantine-"},
	{"the ledger is huge", func(p *placeIn) { p.must(os.Truncate(p.state(disk.Ledger), disk.MaxLedger+1)) }, "it is too large", whole, "quarantine-"},
}

// Damage is repaired in one run, nothing good is lost, replaced files are kept, and a second run finds
// nothing.
func TestRepair(t *testing.T) {
	for _, test := range repairs {
		t.Run(test.name, func(t *testing.T) {
			p := full(t)
			p.must(os.Remove(p.state(journal.FileName))) // which would know better
			test.do(p)
			done := p.repair()
			if !strings.Contains(strings.Join(done, "\n"), test.says) || p.listed() != test.listed {
				t.Errorf("it did\n  %s\nand lists %s", strings.Join(done, "\n  "), p.listed())
			}
			if report := p.verify(); len(report.Faults) != 0 {
				t.Errorf("left are %v", report.Faults)
			}
			if test.kept != "" && len(kept(t, p.in(""), test.kept))+len(kept(t, p.state(""), test.kept)) != 1 {
				t.Errorf("%s… is not kept once: %q, %q", test.kept, kept(t, p.in(""), ""), kept(t, p.state(""), ""))
			}
			if ledger := p.read(p.state(disk.Ledger)); strings.Count(ledger, "token-of-c") != 1 || strings.Count(ledger, "\n") != 1 {
				t.Errorf("the ledger is %q", ledger)
			}
			if again := p.repair(); len(again) != 0 {
				t.Errorf("a second repair did %q", again)
			}
		})
	}
}

// A rebuilt index has the rows and marks of the log and the documents, whatever it had before, and the notes
// of people.
func TestRebuild(t *testing.T) {
	p := full(t)
	p.put(p.index(), strings.Replace(p.read(p.index()), "ben:", "eve:", 1)+"a note\n")
	report, err := p.Maintenance().RebuildIndex(t.Context())
	if err != nil || len(report.Done) == 0 || !strings.Contains(p.listed(), "a, b") || !strings.Contains(p.listed(), "c ben") {
		t.Errorf("it did %q, %v, and lists %s", report.Done, err, p.listed())
	}
	if text := p.read(p.index()); !strings.HasSuffix(text, "a note\n") && !strings.Contains(text, "\na note\n") {
		t.Errorf("the note is gone:\n%s", text)
	}
	if report := p.verify(); len(report.Faults) != 0 {
		t.Errorf("left are %v", report.Faults)
	}
}

// A repair does not begin a store that is missing or empty.
func TestRepairOfNothing(t *testing.T) {
	p := newPlaceIn(t)
	if done := p.repair(); len(done) != 0 {
		t.Errorf("it did %q", done)
	}
	if _, err := os.Stat(p.in("")); err == nil {
		t.Error("a repair made the handoffs directory")
	}
}

// A repair leaves a journal whose key it does not have: that of a secret that others can read, or of another user. The
// store goes on once the secret is well, or the user gives it to this machine.
func TestRepairWithoutTheKey(t *testing.T) {
	p := full(t)
	secret, before := p.root+".state/secret", p.read(p.state(journal.FileName))
	p.must(os.Chmod(secret, 0o644))
	for range 2 {
		if _, err := p.Maintenance().Repair(t.Context()); !errors.Is(err, fault.ErrIntegrity) {
			t.Error(err)
		}
		if p.read(p.state(journal.FileName)) != before || len(kept(t, p.state(""), "quarantine-")) > 0 {
			t.Error("the journal was changed")
		}
		p.must(os.Chmod(secret, 0o600))
		p.must(os.WriteFile(secret, []byte(strings.Repeat("x", 32)), 0o600))
	}
	if _, err := p.Maintenance().Regenerate(t.Context(), "ann", "the secret was lost"); err != nil {
		t.Fatal(err)
	}
	if report := p.verify(); len(report.Faults) > 0 {
		t.Errorf("%+v", report.Faults)
	}
}

// A machine that takes a store over adopts what has no events, and quarantines what prevents that.
func TestRegenerateAdopts(t *testing.T) {
	p := full(t)
	p.must(os.RemoveAll(p.state("")))
	p.must(os.Mkdir(p.state(""), 0o700))
	p.put(p.state(journal.FileName), "of another store")
	if _, err := p.Maintenance().Regenerate(t.Context(), "ann", "a clone"); err != nil {
		t.Fatal(err)
	}
	report := p.verify()
	if len(report.Faults) != 0 || len(report.Warnings) == 0 || len(kept(t, p.state(""), "quarantine-")) != 1 {
		t.Errorf("%+v", report)
	}
	if log := p.read(p.events()); !strings.Contains(log, `"adopted_rows":3`) || strings.Count(log, "\n") != 2 {
		t.Errorf("the log is\n%s", log)
	}
	if r, err := disk.ParseMachineRecord([]byte(p.read(p.state(disk.FingerprintFile)))); err != nil || r.Writer == "" || r.Store == "" {
		t.Errorf("the record is %+v, %v", r, err)
	}
}
