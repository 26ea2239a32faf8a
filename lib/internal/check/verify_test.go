package check_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/check"
	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
)

const (
	logFile = ".run/handoff-events.jsonl"
	ledger  = ".run/consumed-tokens.jsonl"
	machine = ".run/machine-fingerprint"
	docB    = "2026-05-07-ann-ben-b.md"
)

// findings are kinds of damage with the expected PLACE: WORDS, a warning after a ?. One that ends in … has
// further findings.
var findings = []struct {
	name string
	do   func(p *place)
	want string
}{
	{"nothing", func(p *place) {}, ""},

	{"INDEX.md is lost", func(p *place) { p.remove("INDEX.md") }, "INDEX.md: is missing or empty…"},
	{"INDEX.md is a directory", func(p *place) { p.instead("INDEX.md") }, "INDEX.md: not a regular file…"},
	{"an archive is lost", func(p *place) { p.remove("INDEX-0001.md") }, "INDEX-0001.md: does not exist…"},
	{"an archive is emptied", func(p *place) { p.put("INDEX-0001.md", "") }, "INDEX-0001.md: is empty…"},
	{"a note", func(p *place) { p.put("INDEX.md", p.read("INDEX.md")+"do not forget\n") }, "?INDEX.md:9: is ignored"},

	{"a document is unreadable as such", func(p *place) { p.put(docB, "no head") }, "INDEX.md:7: is not a valid handoff"},
	{"a document is a directory", func(p *place) { p.instead(docB) }, "INDEX.md:7: not a regular file"},
	{"a document that nobody lists", func(p *place) { p.put("2026-05-07-ann-ben-z.md", "x") }, "handoffs/2026-05-07-ann-ben-z.md: is not listed"},
	{"the lock is a directory", func(p *place) { p.instead(".INDEX.md.lock") }, ".INDEX.md.lock: is not a regular file"},

	{"an event is not JSON", func(p *place) { p.replace(logFile, `"topic":"c"`, `"topic":c`) }, "handoff-events.jsonl:4: are unproven"},
	{"an event is changed", func(p *place) { p.replace(logFile, `"topic":"b"`, `"topic":"x"`) }, "handoff-events.jsonl:2: records another topic…"},
	{"an event has another version", func(p *place) { p.replace(logFile, `"schema_version":"1.1.0"`, `"schema_version":"9"`) }, "handoff-events.jsonl:1: schema_version \"9\"…"},
	{"an event of an unknown type", func(p *place) { p.log("other.event", map[string]any{}) }, "?handoff-events.jsonl:8: unknown event type"},
	{"an event is not canonical", func(p *place) { p.logText(func(line string) string { return strings.Replace(line, ":", ": ", 1) }) }, "?handoff-events.jsonl:8: canonical form"},
	{"a marker of another tool", func(p *place) { p.put(logFile, p.read(logFile)+"[other] tool\n") }, ""},
	{"a write of nothing", func(p *place) { p.log(eventlog.TypeWrite, eventlog.Written{HandoffID: nowhere}) }, "handoff-events.jsonl:8: which no row lists"},
	{"a mark on nothing", func(p *place) {
		p.log(eventlog.TypeMarkRead, eventlog.MarkedRead{HandoffID: nowhere, OperatorID: "ben", Time: "2026-05-08T09:00:00Z"})
	}, "?handoff-events.jsonl: which nothing records as written"},
	{"a mark on what others wrote, on a branch without it", func(p *place) {
		p.log(eventlog.TypeImport, eventlog.Imported{HandoffIDs: []string{nowhere}})
		p.log(eventlog.TypeMarkRead, eventlog.MarkedRead{HandoffID: nowhere, OperatorID: "ben", Time: "2026-05-08T09:00:00Z"})
	}, ""},
	{"something was lost", func(p *place) { p.log(eventlog.TypeRepair, eventlog.Repaired{Quarantined: []string{nowhere}}) }, "?handoff-events.jsonl: was lost"},
	{"the log is a directory", func(p *place) { p.instead(logFile) }, "handoff-events.jsonl: cannot be read"},
	{"the log is lost", func(p *place) { p.remove(logFile) }, "handoff-events.jsonl: is missing or empty, but there are handoffs…"},
	{"the state is lost", func(p *place) { p.remove(".run") }, "ROOT/.run: is missing, and with it the audit log…"},

	{"a token is lost", func(p *place) { p.put(ledger, "") }, "handoff-events.jsonl:6: could be consumed again"},
	{"the ledger is a directory", func(p *place) { p.instead(ledger) }, "consumed-tokens.jsonl: cannot be read"},
	{"a token has no event", func(p *place) {
		p.put(ledger, p.read(ledger)+strings.Replace(p.read(ledger), "token-of-c", "another-token", 1))
	}, "consumed-tokens.jsonl:2: has no event"},
	{"a token is another's", func(p *place) { p.replace(ledger, `"ben"`, `"eve"`) }, "consumed-tokens.jsonl:1: differs from what handoff-events.jsonl:6"},
	{"a token stands twice", func(p *place) { p.put(ledger, strings.Repeat(p.read(ledger), 2)) }, "?consumed-tokens.jsonl:2: an earlier line"},
	{"a line of the ledger is none", func(p *place) { p.put(ledger, p.read(ledger)+"{}\n") }, "consumed-tokens.jsonl:2: is not the record"},
	{"the ledger is torn", func(p *place) { p.put(ledger, p.read(ledger)+`{"tok`) }, "?consumed-tokens.jsonl:2: torn"},

	{"the machine is lost", func(p *place) { p.remove(machine) }, "machine-fingerprint: is missing"},
	{"the machine is none", func(p *place) { p.put(machine, "{}") }, "machine-fingerprint: cannot be used"},
	{"the machine is another", func(p *place) { p.replace(machine, here, strings.Repeat("b", 64)) }, "machine-fingerprint: belongs to another machine"}}

const nowhere = "sha256:0000000000000000000000000000000000000000000000000000000000000001"

func TestVerifyFinds(t *testing.T) {
	for _, test := range findings {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			test.do(p)
			r := p.verify()
			list, others := r.Faults, r.Warnings
			want, warns := strings.CutPrefix(strings.ReplaceAll(test.want, "ROOT", p.root), "?")
			if warns {
				list, others = others, list
			}
			want, more := strings.CutSuffix(want, "…")
			if want != "" && !found(list, want) {
				t.Errorf("faults:%s\nwarnings:%s", lines(r.Faults), lines(r.Warnings))
			}
			if n := len(list) + len(others); !more && n > 1 || want == "" && n > 0 {
				t.Errorf("besides it, faults:%s\nwarnings:%s", lines(r.Faults), lines(r.Warnings))
			}
			if (r.Err() == nil) != (len(r.Faults) == 0) {
				t.Errorf("the error is %v", r.Err())
			}
		})
	}
}

// With ids, Verify checks these handoffs and the log.
func TestVerifyOfOne(t *testing.T) {
	p := newPlace(t)
	p.put(docB, "no head")
	if r := p.verify(p.ids["a"], p.ids["c"]); len(r.Faults) != 0 || r.Handoffs != 2 || r.Events != 7 {
		t.Errorf("%+v", r)
	}
	if r := p.verify(p.ids["b"][:20]); !found(r.Faults, "INDEX.md:7: is not a valid handoff") || len(r.Faults) != 1 {
		t.Errorf("%+v", r)
	}
	if _, err := check.Verify(t.Context(), p.store(), []string{nowhere}); err == nil {
		t.Error("what is not stored verifies")
	}
	p.remove(logFile)
	if r := p.verify(p.ids["c"]); !found(r.Faults, "handoff-events.jsonl: is missing or empty") {
		t.Errorf("%+v", r)
	}
}

// On another machine, remedies begin with the command that moves the store to this one.
func TestVerifyOrdersRemedies(t *testing.T) {
	p := newPlace(t)
	p.remove(machine)
	p.put(docB, "no head")
	r := p.verify()
	for _, f := range r.Faults {
		if !strings.HasPrefix(f.Remedy, "handoff machine-fingerprint regenerate") {
			t.Errorf("%s: %s", f, f.Remedy)
		}
	}
	if len(r.Faults) != 2 {
		t.Errorf("%s", lines(r.Faults))
	}
}

// Findings are in the order of the lines of their files.
func TestFindingsInOrder(t *testing.T) {
	p := newPlace(t)
	text := p.read("INDEX.md")
	for range 10 {
		text += "| x |\n"
	}
	p.put("INDEX.md", text)
	last := 0
	for _, f := range append(p.verify().Faults, p.verify().Warnings...) {
		if line, ok := strings.CutPrefix(f.Place, "INDEX.md:"); ok {
			n, err := strconv.Atoi(line)
			if err != nil || n < last {
				t.Errorf("line %s follows line %d", line, last)
			}
			last = n
		}
	}
	if last < 10 {
		t.Errorf("the last line with a finding is %d", last)
	}
}
