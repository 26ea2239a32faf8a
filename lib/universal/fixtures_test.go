package universal_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

const fixtures = "../../testdata/universal"

var update = flag.Bool("update", false, "write testdata/universal/expected.txt anew")

func options() universal.RepairOptions {
	return universal.RepairOptions{
		Options:     universal.Options{Rules: schema.Universal(), Now: func() time.Time { return time.Date(2026, 5, 7, 12, 0, 0, 0, time.UTC) }},
		SessionFile: "/home/ann/sessions/17/out.session.json",
	}
}

// TestFixtures compares what is found in each document, and what a repair makes of it, with expected.txt.
func TestFixtures(t *testing.T) {
	got := "# file | class, stage | faults | warnings | repair; places are line:column or pointers below /handoff\n"
	for _, dir := range []string{"good", "bad"} {
		names, err := filepath.Glob(filepath.Join(fixtures, dir, "*.json"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no documents in %s: %v", dir, err)
		}
		for _, name := range names {
			outcome := outcomeOf(t, name)
			if valid := strings.HasPrefix(outcome, "valid"); valid != (dir == "good") {
				t.Errorf("%s is %s", name, outcome)
			}
			got += fmt.Sprintf("%s/%s | %s\n", dir, filepath.Base(name), outcome)
		}
	}
	expected := filepath.Join(fixtures, "expected.txt")
	if *update {
		if err := os.WriteFile(expected, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(expected)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("expected.txt has\n%s\ngot\n%s", missing(string(want), got), missing(got, string(want)))
	}
}

// missing returns the lines of a that b lacks.
func missing(a, b string) (lines string) {
	for line := range strings.Lines(a) {
		if !strings.Contains(b, line) {
			lines += line
		}
	}
	return lines
}

func outcomeOf(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := universal.Parse(src)
	var unreadable *fault.DocumentError
	if errors.As(err, &unreadable) {
		f := unreadable.Faults[0]
		return fmt.Sprintf("unreadable | %d:%d %s", f.Line, f.Column, f.Problem)
	}
	r := d.Validate(options().Options)
	class := "valid"
	switch err := r.Err(); {
	case errors.Is(err, fault.ErrIntegrity):
		class = "mismatch"
	case errors.Is(err, fault.ErrInvalid):
		class = "invalid"
	case err != nil:
		t.Errorf("%s: an error without class: %v", name, err)
	}
	for _, f := range r.Faults {
		if f.Hint == "" {
			t.Errorf("%s: no repair is named for %s", name, f)
		}
	}
	return fmt.Sprintf("%s, %s | %s | %s | %s", class, r.Stage, places(r.Faults), places(r.Warnings), repairOf(d.Repair(options())))
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

func repairOf(r universal.Repair) string {
	var all []string
	for _, change := range r.Changes {
		at, _, _ := strings.Cut(change, ":")
		all = append(all, strings.TrimPrefix(at, "/handoff/"))
	}
	switch {
	case !r.Report.Valid():
		return "fails: " + places(r.Report.Faults)
	case len(all) == 0:
		return "unchanged"
	}
	text := strings.Join(all, ", ")
	if r.Session != nil {
		text += "; session kept"
	}
	if r.Cut != nil {
		text += "; cut kept"
	}
	return text
}
