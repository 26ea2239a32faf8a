package universal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

func validate(t failing, d *universal.Document, o universal.Options) universal.Report {
	t.Helper()
	o.Rules = schema.Universal()
	if o.Now == nil {
		o.Now = func() time.Time { return time.Date(2026, 2, 8, 0, 0, 0, 0, time.UTC) }
	}
	r, err := d.Validate(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSentences holds what a person reads: place, problem, repair.
func TestSentences(t *testing.T) {
	for name, want := range map[string][]string{
		"version-2":                {"line 3, column 16 (/handoff/version): version \"2.0\" is not supported, only 3.0; `handoff record repair --help` lists what older fields become in 3.0"},
		"unknown-root-key":         {"line 34, column 14 (/comment): unknown field \"comment\"; known are handoff; `handoff record repair` removes it"},
		"no-such-day":              {`line 5, column 18 (/handoff/timestamp): "2026-02-30T18:30:00Z" is not a valid date-time; use UTC with Z, such as 2026-02-07T18:30:00Z`},
		"working-missing":          {`line 20, column 16 (/handoff/payload/working): required field "working" is missing; add an object with what the next skill needs`},
		"self-loop":                {`line 14, column 16 (/handoff/target/skill): "survey-reader" hands over to itself; name the skill that takes over`},
		"hash-of-sha1":             {`line 32, column 23 (/handoff/meta/payload_hash): "sha1:0000000000000000000000000000000000000000" is not in the required form; write sha256: and 64 lower-case hex digits, or leave it out`},
		"large-prompt":             {"the document takes 2981 tokens (o200k_base), more than 2000; name files instead of including their content, or let `handoff record repair` compress it"},
		"six-hops":                 {"line 32, column 24 (/handoff/meta/handoff_chain): the chain has 6 hops, more than 5 need the user's approval; ask the user, then set meta.user_approved to true"},
		"hash-and-self-loop":       {"(/handoff/meta/payload_hash): the payload hashes to sha256:", "hands over to itself"},
		"circle-with-blank-reason": {"the chain is a circle: [report-writer] -> survey-reader -> [report-writer]; give the reason in meta.handoff_reason"},
	} {
		r := validate(t, mustParse(t, load(t, "bad/"+name+".json")), universal.Options{})
		if len(r.Faults) != len(want) {
			t.Errorf("%s: %v", name, r.Faults)
			continue
		}
		for i, f := range r.Faults {
			if !strings.Contains(f.String(), want[i]) {
				t.Errorf("%s:\n got %s\nwant %s", name, f, want[i])
			}
		}
	}
}

func TestWarnings(t *testing.T) {
	for name, want := range map[string]string{
		"temporary-file":           "may disappear",
		"token-count-far-off":      "token_count 1500 differs from the estimate 128 by more than 30 %",
		"twelve-hops":              "the chain has 12 hops, more than 10; `handoff record repair` shortens its middle",
		"expires-before-it-begins": "expires_at is not after timestamp",
		"chain-ends-elsewhere":     `the chain ends with "intake", not with the source "survey-reader"`,
		"back-again-with-a-reason": "is a circle, with a reason: [report-writer] -> survey-reader -> [report-writer]",
		"working-over-its-share":   "payload.working takes 677 tokens, more than its share of 500",
		"size-is-wrong":            "payload_size_bytes is 1, but the compact payload has 51 bytes",
	} {
		r := validate(t, mustParse(t, load(t, "good/"+name+".json")), universal.Options{})
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].String(), want) {
			t.Errorf("%s: %v, want %s", name, r.Warnings, want)
		}
	}
}

func TestExpired(t *testing.T) {
	d := with(t, "/handoff/expires_at", "2026-03-01T00:00:00Z")
	for now, want := range map[string]bool{"2026-02-28T23:59:59Z": false, "2026-03-01T00:00:00Z": true} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		r := validate(t, d, universal.Options{Now: func() time.Time { return at }})
		said := strings.Contains(fmt.Sprint(r.Warnings), "the document expired at 2026-03-01T00:00:00Z")
		if !r.Valid() || said != want {
			t.Errorf("at %s: %v", now, r.Warnings)
		}
	}
}

func TestReferencedFiles(t *testing.T) {
	var asked []string
	o := universal.Options{Exists: func(path string) bool { asked = append(asked, path); return path == "codebook.md" }}
	r := validate(t, mustParse(t, load(t, "good/full.json")), o)
	if got := fmt.Sprint(asked); got != "[interviews/12.txt codebook.md]" {
		t.Errorf("asked for %s", got)
	}
	if n := len(r.Warnings); n != 2 || r.Warnings[1].Problem != `the file "interviews/12.txt" does not exist` || r.Warnings[1].Pointer != "/handoff/payload/references/files/0/path" {
		t.Errorf("warnings %v", r.Warnings)
	}
}

func TestBudget(t *testing.T) {
	d := mustParse(t, load(t, "good/minimal.json"))
	for encoding, want := range map[string]int{"": 161, "o200k_base": 161, "cl100k_base": 155, "chars4": 128} {
		b := validate(t, d, universal.Options{Encoding: encoding}).Budget
		if b.Tokens != want || b.Estimate != 128 || b.Limit != 2000 || len(b.Parts) != 7 {
			t.Errorf("%q: %+v", encoding, b)
		}
	}
}

// TestErrorClasses holds that a mismatch counts as one only when nothing else is wrong.
func TestErrorClasses(t *testing.T) {
	for name, want := range map[string]error{"good/full": nil, "bad/hash-sorted-keys": fault.ErrIntegrity, "bad/hash-and-self-loop": fault.ErrInvalid, "bad/self-loop": fault.ErrInvalid} {
		err := validate(t, mustParse(t, load(t, name+".json")), universal.Options{}).Err()
		if !errors.Is(err, want) || want == fault.ErrInvalid && errors.Is(err, fault.ErrIntegrity) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// TestHostileDocuments holds that size, depth and number of whatever kind end in an answer.
func TestHostileDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("is about time, with much text")
	}
	minimal := string(load(t, "good/minimal.json"))
	in := func(place, text string) string { return strings.Replace(minimal, place, text+place, 1) }
	many := func(n int, item func(int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ",")
	}
	const n = 10_000
	for name, src := range map[string]string{
		"one long text":     in(`"themes"`, `"x": "`+strings.Repeat("a", 5<<20-2000)+`",`),
		"one long word":     in(`"themes"`, `"x": "`+strings.Repeat("a", 60_000)+`",`),
		"many long texts":   in(`"themes"`, many(3000, func(i int) string { return fmt.Sprintf(`"x%d":"%s"`, i, strings.Repeat("ab ", 180)) })+","),
		"many root keys":    in(`"handoff"`, many(n, func(i int) string { return fmt.Sprintf(`"k%d":0`, i) })+","),
		"many handoff keys": in(`"version"`, many(n, func(i int) string { return fmt.Sprintf(`"k%d":0`, i) })+","),
		"many payload keys": in(`"working"`, many(n, func(i int) string { return fmt.Sprintf(`"k%d":0`, i) })+","),
		"many working keys": in(`"themes"`, many(n, func(i int) string { return fmt.Sprintf(`"k%d":0`, i) })+","),
		"many hops":         in(`"confidence"`, `"handoff_chain":[`+many(n, func(int) string { return `"a"` })+`],`),
		"many wrong hops":   in(`"confidence"`, `"handoff_chain":[`+many(n, func(int) string { return `1` })+`],`),
		"many wrong files":  in(`"working"`, `"references":{"files":[`+many(n/4, func(int) string { return `{"path":1,"relevance":"critcal"}` })+`]},`),
		"many wrong events": in(`"meta"`, `"tracing":{"events":[`+many(n/4, func(int) string { return `{"timestamp":"2026-02-30T00:00:00Z","event_type":"x"}` })+`]},`),
		"many indices":      in(`"themes"`, many(n, func(i int) string { return fmt.Sprintf(`"%d":0`, n-i) })+","),
		"deep":              in(`"themes"`, `"x": `+strings.Repeat("[", jsontree.MaxDepth-4)+strings.Repeat("]", jsontree.MaxDepth-4)+`,`),
		"references":        in(`"themes"`, `"$ref":"file:///etc/passwd","$schema":"http://127.0.0.1/x","$id":"../x",`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := mustParse(t, []byte(src))
			o := options()
			if name != "one long word" {
				o.Encoding = "chars4" // the tokenizer is slow under the race detector
			}
			r := mustRepair(t, d, o)
			if r.Report.Valid() != (name == "deep" || name == "references") {
				t.Errorf("valid: %v", r.Report.Valid())
			}
			_, _, _, _ = d.View(), d.JSON(), d.FileName(), r.Failure()
		})
	}
}

func benchmarkValidate(b *testing.B, encoding string) {
	src := load(b, "good/full.json")
	o := universal.Options{Rules: schema.Universal(), Encoding: encoding}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if r, err := mustParse(b, src).Validate(o); err != nil || !r.Valid() {
			b.Fatal(r.Faults, err)
		}
	}
}

func BenchmarkValidateWithoutTokenizer(b *testing.B) { benchmarkValidate(b, "chars4") }
func BenchmarkValidateWithTokenizer(b *testing.B)    { benchmarkValidate(b, "o200k_base") }

func BenchmarkRepair(b *testing.B) {
	src := load(b, "bad/large-strings-in-working.json")
	for b.Loop() {
		if r := mustRepair(b, mustParse(b, src), options()); !r.OK() {
			b.Fatal(r.Failure())
		}
	}
}
