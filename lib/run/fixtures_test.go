package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/record"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/schema"
)

const fixtures = "../../testdata/run"

var defaults = run.Defaults{ProjectID: func() string { return "here" }, CreatedAt: func() string { return "2026-05-07T12:00:00Z" }}

func files(t testing.TB, pattern string) []string {
	names, err := filepath.Glob(filepath.Join(fixtures, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no fixtures %s: %v", pattern, err)
	}
	return names
}

func load(t testing.TB, path string) []byte {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Every good record is sealed, meets the published schema and comes back unchanged.
func TestGoodFixtures(t *testing.T) {
	for _, path := range files(t, "good/*.json") {
		data := load(t, path)
		draft, err := run.Parse(data, defaults)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		r, err := draft.Seal(run.Review{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		survives(t, r)
		if v, err := jsontree.Parse(data); err != nil || record.Detect(data) != run.Kind || v.Get("task_id") == nil {
			t.Errorf("%s is not detected: %v", path, err)
		}
	}
}

func survives(t interface{ Errorf(string, ...any) }, r run.Record) {
	v, err := jsontree.Parse(r.JSON())
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	if faults := schema.Run()(v.Plain()); len(faults) > 0 {
		t.Errorf("%s\ndoes not meet the schema: %v", r.JSON(), faults)
	}
	again, err := run.Parse(r.JSON(), run.Defaults{})
	if err != nil || !reflect.DeepEqual(again.Record, r) {
		t.Errorf("%v: %+v became %+v", err, r, again.Record)
	}
}

func TestBadFixtures(t *testing.T) {
	expected := map[string]string{}
	for line := range strings.Lines(string(load(t, filepath.Join(fixtures, "bad/expected.txt")))) {
		if name, pointers, ok := strings.Cut(strings.TrimSpace(line), " | "); ok {
			expected[name] = pointers
		}
	}
	paths := files(t, "bad/*.json")
	if len(paths) != len(expected) {
		t.Fatalf("%d fixtures, %d expectations", len(paths), len(expected))
	}
	for _, path := range paths {
		_, err := run.Parse(load(t, path), defaults)
		var invalid *fault.DocumentError
		if !errors.As(err, &invalid) || !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var got []string
		for _, f := range invalid.Faults {
			if f.Line == 0 && f.Pointer == "" {
				t.Errorf("%s: a fault without a place: %v", path, f)
			}
			got = append(got, strings.TrimSpace(f.Pointer+strings.Repeat("-", max(0, 1-len(f.Pointer)))))
		}
		if want := expected[filepath.Base(path)]; strings.Join(got, " ") != want {
			t.Errorf("%s: faults at %q, want %q\n%v", path, got, want, err)
		}
	}
}

func TestNormalisation(t *testing.T) {
	parse := func(name string) run.Record {
		draft, err := run.Parse(load(t, filepath.Join(fixtures, "good", name)), defaults)
		if err != nil {
			t.Fatal(err)
		}
		return draft.Record
	}
	plain := parse("plain-strings.json")
	want := run.Record{
		CompletedActions:      []run.Action{{Summary: "a"}},
		FilesAndArtifacts:     []run.File{{Path: "docs/install.md", Kind: "file"}},
		CommandsAndValidation: []run.Command{{Command: "make links", Kind: "command", Result: "unknown"}},
		Assumptions:           []run.Assumption{{Statement: "b", State: "open"}},
		ContextDebt:           []run.Debt{{Summary: "c", State: "open"}},
		PolicyExceptions:      []run.Exception{{Summary: "d"}},
		NextSteps:             []run.Step{{What: "e"}},
	}
	want.TaskID, want.ProjectID, want.Agent, want.Status, want.Summary, want.CreatedAt = plain.TaskID, plain.ProjectID, plain.Agent, "completed", plain.Summary, plain.CreatedAt
	want.Risks, want.Receipts, want.MemoryProposals = []string{"f"}, []string{"g"}, []string{"h"}
	if !reflect.DeepEqual(plain, want) {
		t.Errorf("plain strings became %+v", plain)
	}
	older := parse("older-form.json")
	if older.Status != "paused" || parse("blocked-and-nulls.json").Status != "requires_review" {
		t.Errorf("status %q", older.Status)
	}
	if got := older.FilesAndArtifacts; !reflect.DeepEqual(got, []run.File{{Path: "docs/install.md", Kind: "file"}, {Path: "site.tar", Kind: "artifact"}}) {
		t.Errorf("files %+v", got)
	}
	if got := older.CommandsAndValidation; len(got) != 2 || got[0].Kind != "command" || got[1].Kind != "test" || got[1].Result != "passed" {
		t.Errorf("commands %+v", got)
	}
	if len(older.Receipts) != 1 || len(older.MemoryProposals) != 1 {
		t.Errorf("ids %q %q", older.Receipts, older.MemoryProposals)
	}
	if d := parse("defaults.json"); d.ProjectID != "here" || d.Status != "completed" || d.CreatedAt != defaults.CreatedAt() {
		t.Errorf("defaults %+v", d)
	}
}

// The view is part of the kind: stored handoffs are verified against it, and against that of the first programs. Their files
// never change.
func TestViewIsFrozen(t *testing.T) {
	draft, err := run.Parse(load(t, fixtures+"/good/full.json"), defaults)
	if err != nil {
		t.Fatal(err)
	}
	r, err := draft.Seal(run.Review{})
	if err != nil {
		t.Fatal(err)
	}
	if body := r.Body(); body != string(load(t, fixtures+"/body/full.md")) {
		t.Errorf("got\n%s", body)
	}
}

// A view without anything says so, section by section, and why a flag is no.
func TestViewOfLittle(t *testing.T) {
	draft, err := run.Parse(load(t, fixtures+"/good/minimal.json"), defaults)
	if err != nil {
		t.Fatal(err)
	}
	r, err := draft.Seal(run.Review{Allowed: []string{"jwt"}})
	if err != nil {
		t.Fatal(err)
	}
	view := r.View()
	if n := strings.Count(view, "\n\nnone named\n"); n != 10 {
		t.Errorf("%d sections are empty in\n%s", n, view)
	}
	for _, want := range []string{
		"**validation_recorded:** no: no test has a result other than unknown",
		"**redaction_reviewed:** no: the secret scan let something through, or who wrote the record says so",
	} {
		if !strings.Contains(view, want) {
			t.Errorf("%s is not said in\n%s", want, view)
		}
	}
}
