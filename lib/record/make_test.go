package record_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/record"
	"github.com/seed-78daf238/handoff/lib/run"

	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

func options() record.Options {
	return record.Options{Rules: schema.Universal(),
		Head:    handoff.Document{To: "ben"},
		Project: func() string { return "demo" }, Now: func() string { return "2026-05-07T12:00:00Z" }}
}

func mustMake(t *testing.T, data []byte, o record.Options) handoff.Made {
	t.Helper()
	made, err := record.Source("x.json", data, o).Make()
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func blockOf(t *testing.T, d handoff.Document) record.Block {
	t.Helper()
	block, err := record.Extract(handoff.Stored{Document: d})
	if err != nil {
		t.Fatal(err)
	}
	return block
}

// good returns the valid records of every kind.
func good(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, pattern := range []string{"packet/clean*.json", "run/good/*.json", "universal/good/*.json"} {
		names, err := filepath.Glob("../../testdata/" + pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no records in %s: %v", pattern, err)
		}
		for _, name := range names {
			if all[name], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// TestRecordSurvives holds that a record which is stored and taken out again is stored as the same handoff.
func TestRecordSurvives(t *testing.T) {
	o := options()
	o.Head.From, o.Head.Topic = "ann", "survival"
	for name, data := range good(t) {
		first := mustMake(t, data, o)
		second := mustMake(t, blockOf(t, first.Document).JSON, o)
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestHeads(t *testing.T) {
	packet := `{"objective":"a","completed":["b"],"unresolved":["c"],"assumptions":["d"],"next_action":"e","risks":["f"],"resume_token":"token-12345"`
	runRecord := `{"task_id":"Fix it: the parser/printer","agent":"agent:codex","summary":"s"`
	for name, c := range map[string]struct {
		data string
		head handoff.Document // overrides
		want handoff.Document
	}{
		"packet": {packet + `,"agent":"human:Ann Lee","task":"invoices","updated_at":"2026-05-07T14:00:00.5+02:00"}`, handoff.Document{To: "ben"},
			handoff.Document{From: "Ann-Lee", To: "ben", Topic: "invoices", Time: "2026-05-07T12:00:00.5Z"}},
		"packet, all from flags": {packet + `,"updated_at":"2026-05-07T12:00:00Z"}`, handoff.Document{From: "a", To: "b", Topic: "c", Time: "2026-01-01T00:00:00Z", Tags: []string{"x"}, References: []string{"y"}},
			handoff.Document{From: "a", To: "b", Topic: "c", Time: "2026-01-01T00:00:00Z", Tags: []string{"x"}, References: []string{"y"}}},
		"run": {runRecord + `,"created_at":"2026-05-06T12:00:00.120Z"}`, handoff.Document{To: "ben"},
			handoff.Document{From: "codex", To: "ben", Topic: "-the-parser-printer", Time: "2026-05-06T12:00:00.120Z"}},
		"run without a time": {runRecord + `}`, handoff.Document{To: "ben"},
			handoff.Document{From: "codex", To: "ben", Topic: "-the-parser-printer", Time: "2026-05-07T12:00:00Z"}},
		"run with a time from flags": {runRecord + `}`, handoff.Document{To: "ben", Time: "2026-04-01T00:00:00Z"},
			handoff.Document{From: "codex", To: "ben", Topic: "-the-parser-printer", Time: "2026-04-01T00:00:00Z"}},
	} {
		o := options()
		o.Head = c.head
		got := mustMake(t, []byte(c.data), o).Document
		got.Body, c.want.SchemaVersion = "", "1.0"
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"agent:codex": "codex", "plain_name-1": "plain_name-1", "a.b/c d": "a-b-c-d", "x:y:z.1": "z-1", "agent:": "agent-", "日本": "u65e5-u672c",
		strings.Repeat("a", 70): strings.Repeat("a", 64), "": "", "../../etc": "------etc",
	} {
		if got := record.Slug(name, 64); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestDetect(t *testing.T) {
	for name, data := range good(t) {
		if got, want := record.Detect(data), strings.Split(name, "/")[3]; got != want {
			t.Errorf("%s is taken for %q", name, got)
		}
	}
	for _, text := range []string{``, `{}`, `[]`, `"handoff"`, `{"a":1}`, `{`, `{"handoff":1}{}`} {
		if got := record.Detect([]byte(text)); got != "" {
			t.Errorf("%s is taken for %q", text, got)
		}
	}
}

func TestFaultsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"objective": 1,`:                       `x.json: line 1, column 17: the text ends`,
		`{"a":1}`:                                `has the shape of no kind of record`,
		`{"resume_token":"abcdefgh","risks":[]}`: `x.json: line 1, column 36 (/risks): is an empty list`,
		`{"handoff":{"version":"2.0"}}`:          `(/handoff/version): version "2.0" is not supported`,
		`{"task_id":"a","summary":"b"}`:          `(/agent): required field "agent" is missing`,
		`{"resume_token":"a","resume_token":1}`:  `key "resume_token" occurs twice`,
	} {
		_, err := record.Source("x.json", []byte(text), options()).Make()
		if !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	o := options()
	o.Kind = "letter"
	if _, err := record.Source("x.json", []byte(`{}`), o).Make(); !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), `x.json: unknown kind "letter"`) {
		t.Error(err)
	}
	o = options()
	o.Head = handoff.Document{}
	_, err := record.Source("x.json", good(t)["../../testdata/packet/clean.json"], o).Make()
	if !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), "x.json: /from: ") || !strings.Contains(err.Error(), `x.json: /topic: `) {
		t.Error(err)
	}
}

// secret is put together here, so that no file of the repository holds one.
var secret = "ghp_" + "Zk3Qv8Wm1Lr7Xt5Bn9Cy2Hd6Jf4Gp0SaUeTi"

const awsSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ81Lm4TvA"

func withSecrets(t *testing.T) []byte {
	t.Helper()
	d, err := universal.Parse([]byte(`{"handoff":{"version":"3.0","schema_type":"universal","timestamp":"2026-02-07T18:30:00Z",
"trace_id":"3f2c8a1e-5b7d-4e90-9c61-0d4b7a2f8e13","source":{"skill":"a","workflow_id":"w","session_path":"/s","phase":"1"},
"target":{"skill":"b"},"context":{"summary":"the token is ` + secret + `, twice ` + secret + `","problem_type":"research"},
"payload":{"working":{"secret_access_key":"` + awsSecret + `","list":["\u0067` + secret[1:] + `"]}},
"meta":{"token_count":150,"confidence":"low","payload_hash":"sha256:"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return d.Rehashed().Bytes()
}

func TestSecretsAreRefused(t *testing.T) {
	_, err := record.Source("x.json", withSecrets(t), options()).Make()
	var faults *handoff.DocumentError
	if !errors.As(err, &faults) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), awsSecret) {
		t.Fatal(err)
	}
	var got []string
	for _, f := range faults.Faults {
		got = append(got, f.Pointer)
	}
	if diff := cmp.Diff([]string{"/handoff/context/summary", "/handoff/context/summary", "/handoff/payload/working/secret_access_key", "/handoff/payload/working/list/0"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	o := options()
	o.Redact = true
	made := mustMake(t, withSecrets(t), o)
	if strings.Contains(made.Body, secret) || strings.Contains(made.Body, awsSecret) || handoff.Redacted(made.Body, nil) != made.Body {
		t.Error(made.Body)
	}
	if diff := cmp.Diff([]string{"aws-secret-access-key", "github-token"}, made.Redacted); diff != "" {
		t.Error(diff)
	}
	d, err := universal.Parse(blockOf(t, made.Document).JSON)
	if err != nil {
		t.Fatal(err)
	}
	if report := d.Validate(universal.Options{Rules: schema.Universal()}); !report.Valid() || len(report.Warnings) > 0 {
		t.Errorf("%+v", report)
	}
	wrong := strings.Replace(string(withSecrets(t)), `"list": [`, `"list": ["another",`, 1)
	if _, err := record.Source("x.json", []byte(wrong), o).Make(); !errors.Is(err, handoff.ErrIntegrity) {
		t.Errorf("a redaction vouches for a payload that somebody changed: %v", err)
	}
}

func TestNamesAreNotRedacted(t *testing.T) {
	o := options()
	o.Redact = true
	o.Kind = "packet"
	text := strings.Replace(string(good(t)["../../testdata/packet/clean.json"]), "{", `{"`+secret+`": 1,`, 1)
	if _, err := record.Source("x.json", []byte(text), o).Make(); !errors.Is(err, handoff.ErrInvalid) || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}

// TestAllowedSecretsAreDisclosed holds that the self-audit of a run knows what the scan let through.
func TestAllowedSecretsAreDisclosed(t *testing.T) {
	o := options()
	o.Allow = []string{"github-token"}
	made := mustMake(t, []byte(`{"task_id":"t","agent":"a","summary":"the token `+secret+` is revoked"}`), o)
	var got run.Record
	if err := json.Unmarshal(blockOf(t, made.Document).JSON, &got); err != nil {
		t.Fatal(err)
	}
	if got.SelfAudit.RedactionReviewed || got.SelfAudit.PolicyExceptionsDisclosed || !got.SelfAudit.SchemaValidated || got.ProjectID != "demo" {
		t.Errorf("%+v", got)
	}
}

func TestCarriedAssumptions(t *testing.T) {
	o := options()
	o.Carried = func(into run.Record) (run.Carried, error) {
		open := run.Assumption{Statement: "the window of " + into.ProjectID + " stands", State: "open"}
		return run.Carried{Assumptions: []run.CarriedAssumption{{Assumption: open}}}, nil
	}
	draft, err := run.Parse([]byte(`{"task_id":"t","agent":"a","summary":"s","self_audit":{"validation_recorded":false}}`), run.Defaults{ProjectID: func() string { return "demo" }, CreatedAt: func() string { return "2026-05-07T12:00:00Z" }})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := run.Parse(draft.JSON(), run.Defaults{}); err != nil || !cmp.Equal(draft, again) {
		t.Errorf("%v: %s", err, cmp.Diff(draft, again))
	}
	made, err := record.RunSource(draft, o).Make()
	if err != nil {
		t.Fatal(err)
	}
	if body := made.Body; !strings.Contains(body, `"assumptions_reviewed": false`) || !strings.Contains(body, `"receipts_reviewed": true`) {
		t.Error(body)
	}
}

func TestNoFindings(t *testing.T) {
	for name, data := range good(t) {
		if made := mustMake(t, data, func() record.Options { o := options(); o.Head.From, o.Head.Topic = "a", "b"; return o }()); handoff.Redacted(made.Body, nil) != made.Body {
			t.Errorf("%s: %v", name, made.Body)
		}
	}
}
