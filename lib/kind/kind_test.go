package kind_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/kind"
)

const data = "../../testdata/"

var update = flag.Bool("update", false, "write golden files")

// checkedAt is the time at which the packets are checked.
var checkedAt = time.Date(2026, 5, 7, 14, 0, 0, 0, time.UTC)

func load(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(data + path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// glob returns the files of a pattern below testdata, without its path.
func glob(t testing.TB, pattern string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(data + pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	for _, path := range paths {
		names = append(names, strings.TrimPrefix(path, data))
	}
	return names
}

// rows returns the rows of a file of expectations.
func rows(t testing.TB, path string) (all [][]string) {
	for line := range strings.Lines(string(load(t, path))) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all = append(all, strings.Split(line, " | "))
		}
	}
	return all
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	got = regexp.MustCompile(`boundary="[0-9a-f]{32}"`).ReplaceAllString(got, `boundary="…"`)
	if *update {
		if err := os.WriteFile(data+path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(load(t, path)), got); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

func check(name string, text []byte, o kind.CheckOptions) kind.Report {
	in := kind.Input{Name: name}
	r, err := kind.Read(text, kind.Given{Kind: "packet"})
	if in.Record, in.Err = &r, err; o.Now.IsZero() {
		o.Now = checkedAt
	}
	o.Use = func(token, _ string) (kind.Use, error) {
		if token == "consumed-token-1" {
			return kind.Use{Operator: "ben", Time: "2026-05-07T13:00:00Z", HandoffID: "sha256:0123"}, nil
		}
		return kind.Use{}, nil
	}
	return kind.Check(in, o)
}

func failing(r kind.Report) string {
	var names []string
	for _, c := range r.Checks {
		if !c.Pass {
			names = append(names, c.Check)
		}
	}
	return strings.Join(names, ",")
}

func TestPackets(t *testing.T) {
	all := rows(t, "packet/expected.txt")
	if n := len(glob(t, "packet/*.json")); n != len(all) {
		t.Errorf("%d packets and %d expectations", n, len(all))
	}
	for _, want := range all {
		r := check(want[0], load(t, "packet/"+want[0]), kind.CheckOptions{})
		if r.Class.String() != want[1] || failing(r) != strings.TrimPrefix(want[2], "-") {
			t.Errorf("%s: %s with failing %q, want %v\n%s", want[0], r.Class, failing(r), want, kind.Summary([]kind.Report{r}, kind.SummaryOptions{}))
		}
	}
}

func TestReports(t *testing.T) {
	var all []kind.Report
	for _, name := range []string{"clean.json", "empty-everywhere.json", "claims-verdict-field.json", "consumed.json", "broken-json.json"} {
		r := check(name, load(t, "packet/"+name), kind.CheckOptions{})
		golden(t, "packet/report/"+strings.TrimSuffix(name, ".json")+".txt", kind.Summary([]kind.Report{r}, kind.SummaryOptions{}))
		all = append(all, r)
	}
	golden(t, "packet/report/overview-ascii.txt", kind.Summary(all, kind.SummaryOptions{ASCII: true, Width: 1000}))
}

// No rule may refuse what people honestly write.
func TestPlantedPackets(t *testing.T) {
	o := kind.CheckOptions{Now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	for _, name := range glob(t, "vectors/packet/*/*.json") {
		r := check(name, load(t, name), o)
		if isGood := strings.Contains(name, "/good/"); isGood != (r.Class == kind.Clean) {
			t.Errorf("%s is %s:\n%s", name, r.Class, kind.Summary([]kind.Report{r}, kind.SummaryOptions{}))
		}
	}
}

// The view is part of the kind: stored records are compared with it. These files never change, not by -update either.
func TestBodies(t *testing.T) {
	for record, body := range map[string]string{"packet/clean-extra-fields.json": "packet/body/clean-extra-fields.md",
		"run/good/full.json": "run/body/full.md", "universal/good/full.json": "universal/view/full.md",
		"universal/good/markup-in-texts.json": "universal/view/markup-in-texts.md"} {
		r, err := kind.Read(load(t, record), kind.Given{})
		if err != nil || r.Err() != nil {
			t.Fatalf("%s: %v %v", record, err, r.Err())
		}
		golden(t, body, r.Body())
	}
}

// A body is a record only if it is exactly the view and the block.
func TestExtract(t *testing.T) {
	for _, name := range slices.Concat(glob(t, "packet/clean*.json"), glob(t, "run/good/*.json"), glob(t, "universal/good/*.json")) {
		r, err := kind.Read(load(t, name), kind.Given{Project: "p", Now: "2026-05-07T12:00:00Z"})
		if err != nil || r.Err() != nil {
			t.Fatalf("%s: %v %v", name, err, r.Err())
		}
		body := r.Body()
		got, is := kind.Extract(body)
		if !is || !bytes.Equal(got.JSON(), r.JSON()) || got.Label() != r.Label() {
			t.Errorf("%s: %v", name, is)
		}
		for what, other := range map[string]string{"quoted": "Hi\n" + body, "answered": body + "Bye\n", "another view": strings.Replace(body, "- ", "+ ", 1),
			"no view": body[strings.Index(body, "```json"):], "another version": strings.Replace(body, r.Label(), r.Name+"/9", 1),
			"without a field": strings.Replace(body, "\"", "\"x", 1)} {
			if _, is := kind.Extract(other); is || other == body {
				t.Errorf("%s: %s is a record", name, what)
			}
		}
	}
}

func pointers(faults []fault.Fault) string {
	var all []string
	for _, f := range faults {
		all = append(all, f.Pointer)
	}
	return strings.Join(all, " ")
}

func TestRuns(t *testing.T) {
	g := kind.Given{Project: "here", Now: "2026-05-07T12:00:00Z"}
	for _, name := range glob(t, "run/good/*.json") {
		r, err := kind.Read(load(t, name), g)
		if err != nil || r.Err() != nil {
			t.Errorf("%s: %v %v", name, err, r.Err())
			continue
		}
		for _, field := range []string{"task_id", "project_id", "intent_lock_id", "agent", "status", "summary", "completed_actions",
			"files_and_artifacts", "commands_and_validation", "assumptions", "context_debt", "policy_exceptions", "receipts",
			"memory_proposals", "next_steps", "self_audit"} {
			if r.Root.Get(field) == nil {
				t.Errorf("%s: %s is missing", name, field)
			}
		}
	}
	for _, want := range rows(t, "run/bad/expected.txt") {
		r, err := kind.Read(load(t, "run/bad/"+want[0]), kind.Given{Kind: "run", Project: "here", Now: "2026-05-07T12:00:00Z"})
		if got := pointers(r.Faults); err == nil && got != want[1] || err != nil && want[1] != "-" {
			t.Errorf("%s: %q %v %v, want %q", want[0], got, err, r.Faults, want[1])
		}
	}
}

func TestUniversals(t *testing.T) {
	got := "# file | class, stage | faults | warnings | repair; places are line:column, pointers below /handoff, or of a repair fields\n"
	for _, name := range slices.Concat(glob(t, "universal/good/*.json"), glob(t, "universal/bad/*.json")) {
		outcome := outcomeOf(t, name)
		if strings.HasPrefix(outcome, "valid") != strings.Contains(name, "/good/") {
			t.Errorf("%s is %s", name, outcome)
		}
		got += strings.TrimPrefix(name, "universal/") + " | " + outcome + "\n"
	}
	golden(t, "universal/expected.txt", got)
}

func outcomeOf(t *testing.T, name string) string {
	g := kind.Given{Kind: "universal", Now: "2026-05-07T12:00:00Z"}
	r, err := kind.Read(load(t, name), g)
	if unreadable, is := errors.AsType[*fault.DocumentError](err); is {
		f := unreadable.Faults[0]
		return fmt.Sprintf("unreadable | %d:%d %s", f.Line, f.Column, f.Problem)
	}
	class := "valid"
	switch err := r.Err(); {
	case errors.Is(err, fault.ErrIntegrity):
		class = "mismatch"
	case errors.Is(err, fault.ErrInvalid):
		class = "invalid"
	}
	for _, f := range r.Faults {
		if f.Hint == "" {
			t.Errorf("%s: no repair is named for %s", name, f)
		}
	}
	return fmt.Sprintf("%s, %s | %s | %s | %s", class, r.Stage, places(r.Faults), places(r.Warnings),
		repairOf(r.Fix(g, "/home/ann/sessions/17/out.session.json")))
}

func places(faults []fault.Fault) string {
	var all []string
	for _, f := range faults {
		place := strings.TrimPrefix(f.Pointer, "/handoff/")
		if place == "" {
			place = "document"
		}
		all = append(all, place)
	}
	return strings.Join(all, " ")
}

func repairOf(r kind.Repair) string {
	var all []string
	for _, change := range r.Changes {
		at, _, _ := strings.Cut(change, ":")
		all = append(all, strings.TrimPrefix(at, "handoff."))
	}
	switch {
	case len(r.Faults) > 0:
		return "fails: " + places(r.Faults)
	case len(all) == 0:
		return "unchanged"
	}
	text := strings.Join(all, ", ")
	if r.Session != nil {
		text += "; session kept"
	}
	if len(r.Cut.Members) > 0 {
		text += "; cut kept"
	}
	return text
}
