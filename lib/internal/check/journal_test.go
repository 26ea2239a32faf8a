package check_test

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/check"
)

// The journal has the content of the files of the state. A difference is a warning if an unfinished change
// can explain it, and otherwise a fault.
func TestVerifyComparesWithTheJournal(t *testing.T) {
	const under, changed = "journal: a change is in progress", "was changed by another program"
	for _, test := range []struct {
		name  string
		do    func(p *place)
		fault string // "" for none
		warns string
	}{
		{"nothing", func(*place) {}, "", ""},
		{"INDEX.md lacks a row", func(p *place) { p.put("INDEX.md", cutLine(p.read("INDEX.md"))) }, "", under},
		{"INDEX.md is gone", func(p *place) { p.remove("INDEX.md") }, "", under},
		{"the last event is missing", func(p *place) { p.put(logFile, cutLine(p.read(logFile))) }, "", under},
		{"the last event is half there", func(p *place) { p.put(logFile, strings.TrimSuffix(p.read(logFile), "}\n")) }, "", under},
		{"two changes are missing", func(p *place) { p.put(logFile, cutLine(cutLine(cutLine(p.read(logFile))))) }, "handoff-events.jsonl: " + changed, ""},
		{"an event before the last is missing", func(p *place) {
			text := p.read(logFile)
			before := cutLine(cutLine(cutLine(text)))
			p.put(logFile, cutLine(before)+text[len(before):])
		}, "handoff-events.jsonl: " + changed, ""},
		{"an event was changed", func(p *place) { p.replace(logFile, "handoff.resume", "handoff.resumf") }, "handoff-events.jsonl: " + changed, ""},
		{"an event was added", func(p *place) { p.put(logFile, p.read(logFile)+"{}\n") }, "handoff-events.jsonl: has lines after byte", ""},
		{"the log is a directory", func(p *place) { p.instead(logFile) }, "handoff-events.jsonl: cannot be read", ""},
		{"the ledger lacks a token", func(p *place) { p.put(ledger, "") }, "", under},
		{"the ledger was changed", func(p *place) { p.replace(ledger, "token-of-c", "token-of-d") }, "consumed-tokens.jsonl: " + changed, ""},
		{"the ledger is a directory", func(p *place) { p.instead(ledger) }, "consumed-tokens.jsonl: cannot be read", ""},
		{"tombstones were put there", func(p *place) { p.put(".run/tombstones", "sha256:"+strings.Repeat("0", 64)+"\n") },
			"tombstones: was changed by another program", under},
		{"the journal is nonsense", func(p *place) { p.put(".run/journal", "nonsense") }, "journal: ", ""},
		{"the journal is gone", func(p *place) { p.remove(".run/journal") }, "journal: is missing, but there are events", ""},
		{"it is another user's", func(p *place) {
			p.must(os.RemoveAll(p.root + ".state"))
			p.must(os.Mkdir(p.root+".state", 0o700))
			p.must(os.WriteFile(p.root+".state/secret", []byte(strings.Repeat("x", 32)), 0o600))
		}, "journal: ", ""},
	} {
		p := newWhole(t)
		test.do(p)
		r, err := check.Verify(t.Context(), p.store(), nil)
		p.must(err)
		if test.fault == "" && len(r.Faults) > 0 || test.fault != "" && (len(r.Faults) != 1 || !found(r.Faults, test.fault)) {
			t.Errorf("%s: faults:%s", test.name, lines(r.Faults))
		}
		if test.warns != "" && !found(r.Warnings, test.warns) || test.warns == "" && found(r.Warnings, under) {
			t.Errorf("%s: warnings:%s", test.name, lines(r.Warnings))
		}
	}
}

func cutLine(text string) string { return text[:strings.LastIndexByte(text[:len(text)-1], '\n')+1] }
