package universal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

func validate(t failing, d *universal.Document, o universal.Options) universal.Report {
	t.Helper()
	o.Rules = schema.Universal()
	return d.Validate(o)
}

// TestSentences holds what a person reads: place, problem, repair.
func TestSentences(t *testing.T) {
	for name, want := range map[string][]string{
		"version-2":                {"line 3, column 16 (/handoff/version): version \"2.0\" is not supported, only 3.0; `handoff validate --help` lists what older fields become in 3.0"},
		"unknown-root-key":         {"line 34, column 14 (/comment): unknown field \"comment\"; known are handoff; `handoff validate --fix` removes it"},
		"no-such-day":              {`line 5, column 18 (/handoff/timestamp): "2026-02-30T18:30:00Z" is not a valid date-time; use UTC with Z, such as 2026-02-07T18:30:00Z`},
		"working-missing":          {`line 20, column 16 (/handoff/payload/working): required field "working" is missing; add an object with what the next skill needs`},
		"self-loop":                {`line 14, column 16 (/handoff/target/skill): "survey-reader" hands over to itself; name the skill that takes over`},
		"hash-of-sha1":             {`line 32, column 23 (/handoff/meta/payload_hash): "sha1:0000000000000000000000000000000000000000" is not in the required form; write sha256: and 64 lower-case hex digits, or leave it out`},
		"large-prompt":             {"the document takes 3365 tokens, more than 2000; name files instead of including their content, or let `handoff validate --fix` compress it"},
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
		"twelve-hops":              "the chain has 12 hops, more than 10; `handoff validate --fix` cuts its middle",
		"expires-before-it-begins": "expires_at is not after timestamp",
		"chain-ends-elsewhere":     `the chain ends with "intake", not with the source "survey-reader"`,
		"back-again-with-a-reason": "is a circle, with a reason: [report-writer] -> survey-reader -> [report-writer]",
		"working-over-its-share":   "payload.working takes 833 tokens, more than its share of 500",
	} {
		r := validate(t, mustParse(t, load(t, "good/"+name+".json")), universal.Options{})
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].String(), want) {
			t.Errorf("%s: %v, want %s", name, r.Warnings, want)
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
	if n := len(r.Warnings); n != 1 || r.Warnings[0].Problem != `the file "interviews/12.txt" does not exist` || r.Warnings[0].Pointer != "/handoff/payload/references/files/0/path" {
		t.Errorf("warnings %v", r.Warnings)
	}
}

// TestTokens holds that the characters of the compact form are counted, whatever the layout of the text.
func TestTokens(t *testing.T) {
	hindi := strings.Repeat("\u0938", 400)
	for _, src := range [][]byte{load(t, "good/minimal.json"), putting(t, "/handoff/context/summary", `"`+hindi+`"`)} {
		var b bytes.Buffer
		if err := json.Indent(&b, src, "", "\t"); err != nil {
			t.Fatal(err)
		}
		d := mustParse(t, src)
		want := len([]rune(string(d.JSON()))) / 4
		if got := validate(t, mustParse(t, b.Bytes()), universal.Options{}).Tokens; got != want || validate(t, d, universal.Options{}).Tokens != want {
			t.Errorf("%d tokens, want %d", got, want)
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
	const n = 2000
	for name, src := range map[string]string{
		"one long text":     in(`"themes"`, `"x": "`+strings.Repeat("a", 5<<20-2000)+`",`),
		"one long word":     in(`"themes"`, `"x": "`+strings.Repeat("a", 60_000)+`",`),
		"many long texts":   in(`"themes"`, many(500, func(i int) string { return fmt.Sprintf(`"x%d":"%s"`, i, strings.Repeat("ab ", 180)) })+","),
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
			r := d.Repair(options())
			if valid := d.Validate(options().Options).Valid(); valid != (name == "deep" || name == "references") {
				t.Errorf("valid: %v", valid)
			}
			_, _, _, _ = d.View(), d.JSON(), d.FileName(), r.Report.FaultLines()
		})
	}
}
