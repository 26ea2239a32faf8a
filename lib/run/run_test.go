package run_test

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/run"
	"github.com/seed-78daf238/handoff/schema"
)

// fill sets every field of a value to something unique and returns what it set.
func fill(v reflect.Value, next *int) []string {
	*next++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("value%dx", *next))
		return []string{v.String()}
	case reflect.Int64:
		v.SetInt(int64(990_000 + *next))
		return []string{fmt.Sprint(v.Int())}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		return append(fill(v.Index(0), next), fill(v.Index(1), next)...)
	case reflect.Struct:
		var all []string
		for i := range v.NumField() {
			all = append(all, fill(v.Field(i), next)...)
		}
		return all
	case reflect.Bool:
		return nil
	}
	panic("fill a " + v.Kind().String())
}

func TestViewShowsEveryField(t *testing.T) {
	var r run.Record
	next := 0
	values := fill(reflect.ValueOf(&r).Elem(), &next)
	view := r.View()
	for _, value := range values {
		if !strings.Contains(view, value) {
			t.Errorf("%s is not in the view", value)
		}
	}
	if len(values) < 40 {
		t.Errorf("only %d values were set", len(values))
	}
	audit := reflect.ValueOf(&r.SelfAudit).Elem()
	for i := range audit.NumField() {
		if audit.Field(i).Kind() != reflect.Bool {
			continue
		}
		audit.Field(i).SetBool(true)
		changed := r.View()
		if changed == view {
			t.Errorf("%s is not in the view", audit.Type().Field(i).Name)
		}
		audit.Field(i).SetBool(false)
	}
}

// base is a record whose audit is all true.
func base() run.Record {
	return run.Record{
		TaskID: "t", ProjectID: "p", Agent: "agent:codex", Status: "completed", Summary: "Did it.", CreatedAt: "2026-05-07T12:00:00Z",
		CommandsAndValidation: []run.Command{{Command: "go test", Kind: "test", Result: "passed"}},
	}
}

func TestSelfAudit(t *testing.T) {
	dns := []run.CarriedAssumption{{Assumption: run.Assumption{Statement: "DNS stays", State: "open"}}}
	failed := func(name string) run.Command { return run.Command{Command: name, Kind: "command", Result: "failed"} }
	for _, c := range []struct {
		name   string
		change func(*run.Record, *run.Review)
		fails  string
	}{
		{"all true", func(*run.Record, *run.Review) {}, ""},
		{"allowed, not said", func(_ *run.Record, v *run.Review) { v.Allowed = []string{"jwt"} }, "redaction_reviewed policy_exceptions_disclosed"},
		{"allowed and said", func(r *run.Record, v *run.Review) {
			v.Allowed, r.Risks = []string{"jwt"}, []string{"A JWT of the test server stays in the text"}
		}, "redaction_reviewed"},
		{"exception without receipt", func(r *run.Record, _ *run.Review) { r.PolicyExceptions = []run.Exception{{Summary: "x"}} }, "receipts_reviewed"},
		{"exception with receipt", func(r *run.Record, _ *run.Review) {
			r.PolicyExceptions, r.Receipts = []run.Exception{{Summary: "x"}}, []string{"r"}
		}, ""},
		{"open assumption", func(r *run.Record, _ *run.Review) { r.Assumptions = []run.Assumption{{"DNS stays", "open"}} }, "assumptions_reviewed"},
		{"open with a note", func(r *run.Record, _ *run.Review) {
			r.Assumptions, r.SelfAudit.Notes = []run.Assumption{{"DNS stays", "open"}}, []string{"that dns  stays cannot be known before Monday"}
		}, ""},
		{"refuted", func(r *run.Record, _ *run.Review) { r.Assumptions = []run.Assumption{{"DNS stays", "refuted"}} }, ""},
		{"carried, not named", func(_ *run.Record, v *run.Review) { v.Carried = dns }, "assumptions_reviewed"},
		{"carried and named", func(r *run.Record, v *run.Review) {
			v.Carried, r.Assumptions = dns, []run.Assumption{{"DNS  stays", "carried_forward"}}
		}, ""},
		{"carried with a note", func(r *run.Record, v *run.Review) {
			v.Carried, r.SelfAudit.Notes = dns, []string{"DNS stays: not looked at"}
		}, ""},
		{"no test", func(r *run.Record, _ *run.Review) { r.CommandsAndValidation[0].Kind = "command" }, "validation_recorded"},
		{"unknown result", func(r *run.Record, _ *run.Review) { r.CommandsAndValidation[0].Result = "unknown" }, "validation_recorded"},
		{"skipped test", func(r *run.Record, _ *run.Review) { r.CommandsAndValidation[0].Result = "skipped" }, ""},
		{"failure not said", func(r *run.Record, _ *run.Review) {
			r.CommandsAndValidation = append(r.CommandsAndValidation, failed("make lint"))
		}, "policy_exceptions_disclosed"},
		{"failure said", func(r *run.Record, _ *run.Review) {
			r.CommandsAndValidation, r.Risks = append(r.CommandsAndValidation, failed("make lint")), []string{"`make lint` fails on old code"}
		}, ""},
	} {
		r, review := base(), run.Review{}
		c.change(&r, &review)
		sealed, err := run.Draft{Record: r}.Seal(review)
		if got := strings.Join(sealed.SelfAudit.Failed(), " "); err != nil || got != c.fails {
			t.Errorf("%s: %q fails, want %q (%v)", c.name, got, c.fails, err)
		}
	}
}

// A claim can lower each flag; it can raise none.
func TestClaimsOnlyLower(t *testing.T) {
	names := run.Audit{}.Failed()
	for _, name := range names {
		sealed, err := run.Draft{Record: base(), Claimed: map[string]bool{name: false}}.Seal(run.Review{})
		if got := sealed.SelfAudit.Failed(); err != nil || len(got) != 1 || got[0] != name {
			t.Errorf("%s lowered: %q fails (%v)", name, got, err)
		}
	}
	bad := base()
	bad.CommandsAndValidation = []run.Command{{Command: "make", Kind: "command", Result: "failed"}}
	bad.PolicyExceptions = []run.Exception{{Summary: "x"}}
	bad.Assumptions = []run.Assumption{{"a", "open"}}
	claimed := map[string]bool{}
	for _, name := range names {
		claimed[name] = true
	}
	_, err := run.Draft{Record: bad, Claimed: claimed}.Seal(run.Review{Allowed: []string{"jwt"}})
	var invalid *fault.DocumentError
	if !errors.As(err, &invalid) || len(invalid.Faults) != len(names)-1 { // all but schema_validated
		t.Fatalf("%v", err)
	}
	if f := invalid.Faults[0]; f.Pointer != "/self_audit/redaction_reviewed" || !strings.Contains(f.Problem, "is true, but the secret scan let something through") {
		t.Errorf("%v", f)
	}
}

func text() *rapid.Generator[string] {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"```", "\n", "json handoff-record=run/1", "- ", "\u202e", "<b>", "é", "; kind: "}))
	return rapid.Custom(func(t *rapid.T) string {
		return "w" + strings.ReplaceAll(strings.Join(rapid.SliceOfN(piece, 0, 5).Draw(t, "pieces"), ""), "\n\n", "\n")
	})
}

func records() *rapid.Generator[run.Record] {
	id := rapid.StringMatching(`[a-zA-Z0-9:_./-]{1,128}`)
	optional := rapid.OneOf(rapid.Just(""), text())
	return rapid.Custom(func(t *rapid.T) run.Record {
		created := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0).UTC().Format(time.RFC3339)
		r := run.Record{TaskID: id.Draw(t, "task"), ProjectID: id.Draw(t, "project"), Agent: id.Draw(t, "agent"), Summary: "s", CreatedAt: created}
		r.Status = rapid.SampledFrom([]string{"completed", "paused", "failed", "requires_review"}).Draw(t, "status")
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			code := rapid.Int64Range(-5, 300).Draw(t, "code")
			r.CompletedActions = append(r.CompletedActions, run.Action{text().Draw(t, "a"), optional.Draw(t, "ref")})
			r.FilesAndArtifacts = append(r.FilesAndArtifacts, run.File{Path: text().Draw(t, "p"), Kind: "artifact", Change: optional.Draw(t, "c")})
			r.CommandsAndValidation = append(r.CommandsAndValidation, run.Command{Command: text().Draw(t, "c"), Kind: "test", Result: "failed", ExitCode: &code, Summary: optional.Draw(t, "s")})
			r.Assumptions = append(r.Assumptions, run.Assumption{text().Draw(t, "as"), rapid.SampledFrom([]string{"open", "promoted", "refuted", "carried_forward"}).Draw(t, "st")})
			r.ContextDebt = append(r.ContextDebt, run.Debt{text().Draw(t, "d"), "open", optional.Draw(t, "na")})
			r.PolicyExceptions = append(r.PolicyExceptions, run.Exception{text().Draw(t, "e"), optional.Draw(t, "re")})
			r.NextSteps = append(r.NextSteps, run.Step{text().Draw(t, "w"), optional.Draw(t, "who"), optional.Draw(t, "v")})
			r.Risks = append(r.Risks, text().Draw(t, "r"))
			r.Receipts = append(r.Receipts, id.Draw(t, "rc"))
		}
		return r
	})
}

func TestRecordSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, err := run.Draft{Record: records().Draw(t, "record")}.Seal(run.Review{})
		if err != nil {
			t.Fatal(err)
		}
		survives(t, r)
		body := r.Body()
		block, ok := fields.Extract(body)
		if !ok || string(block.JSON) != string(r.JSON()) || block.View != r.View() {
			t.Fatalf("%v: %q", err, body)
		}
	})
}

// Our rules and the published JSON Schema must agree on what a stored record is.
func TestAgreesWithTheSchema(t *testing.T) {
	rules := schema.Run()
	values := rapid.SampledFrom([]string{
		`""`, `" "`, `"\u2003"`, `"\u200b"`, `"a\u0007"`, `"a"`, `[]`, `[1]`, `[""]`, `["a"]`, `1`, `-1`, `1.5`, `1e2`, `true`, `{}`, `[{}]`, `"open"`, `"passed"`, `"file"`,
		`"2026-02-30T00:00:00Z"`, `"2026-05-07T12:00:00+00:00"`, `"` + strings.Repeat("é", 129) + `"`, `"` + strings.Repeat("a", 4001) + `"`, `9007199254740993`,
	})
	full := load(t, fixtures+"/good/full.json")
	draft, err := run.Parse(full, defaults)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := draft.Seal(run.Review{})
	if err != nil {
		t.Fatal(err)
	}
	places := regexp.MustCompile(`(?m)": ("[^"]*"|\d+|true|false)`).FindAllSubmatchIndex(sealed.JSON(), -1)
	rapid.Check(t, func(t *rapid.T) {
		text := string(sealed.JSON())
		at := rapid.SampledFrom(places).Draw(t, "place")
		text = text[:at[2]] + values.Draw(t, "value") + text[at[3]:]
		v, err := jsontree.Parse([]byte(text))
		if err != nil {
			return
		}
		_, mine := run.Parse([]byte(text), run.Defaults{})
		if theirs := rules(v.Plain()); (mine != nil) != (len(theirs) > 0) {
			t.Fatalf("%s\nParse: %v\nschema: %v", text, mine, theirs)
		}
	})
}

func TestHostileInput(t *testing.T) {
	for _, data := range []string{strings.Repeat("[", 10_000), strings.Repeat(`{"a":`, 10_000), `{"task_id":1e1000001}`, strings.Repeat(" ", 5<<20), "\xff"} {
		if _, err := run.Parse([]byte(data), defaults); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%.20q: %v", data, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"good/*.json", "bad/*.json"} {
		for _, path := range files(f, pattern) {
			f.Add(load(f, path))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		draft, err := run.Parse(data, defaults)
		if err != nil {
			return
		}
		r, err := draft.Seal(run.Review{})
		if err != nil {
			return
		}
		survives(t, r)
		if block, ok := fields.Extract(r.Body()); !ok || string(block.JSON) != string(r.JSON()) {
			t.Fatalf("%v: %s", err, r.Body())
		}
	})
}

func BenchmarkParse(b *testing.B) {
	data := load(b, fixtures+"/good/full.json")
	for b.Loop() {
		if _, err := run.Parse(data, defaults); err != nil {
			b.Fatal(err)
		}
	}
}
