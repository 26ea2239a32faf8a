package universal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/universal"
	"github.com/seed-78daf238/handoff/schema"
)

// Characters are counted, not bytes, and white space between them does not count: storing or setting out a document changes
// neither number.
func TestCountsAreOfTheCompactForm(t *testing.T) {
	hindi := strings.Repeat("सर्वेक्षण ", 40)
	d := with(t, "/handoff/context/summary", hindi[:len(hindi)/2])
	compact := validate(t, d, universal.Options{Encoding: "chars4"}).Budget
	if want := len([]rune(string(d.Bytes()))) / 4; compact.Estimate != want || compact.Tokens != want {
		t.Errorf("%d tokens, estimate %d, want %d", compact.Tokens, compact.Estimate, want)
	}
	for _, indent := range []string{" ", "\t", strings.Repeat(" ", 40)} {
		var b bytes.Buffer
		if err := json.Indent(&b, d.Bytes(), "", indent); err != nil {
			t.Fatal(err)
		}
		for _, encoding := range []string{"chars4", "o200k_base"} {
			want := validate(t, d, universal.Options{Encoding: encoding}).Budget
			if got := validate(t, mustParse(t, b.Bytes()), universal.Options{Encoding: encoding}).Budget; got.Tokens != want.Tokens || got.Estimate != want.Estimate {
				t.Errorf("%s, set out with %q: %d and %d, compact %d and %d", encoding, indent, got.Tokens, got.Estimate, want.Tokens, want.Estimate)
			}
		}
	}
}

// Who has no tokenizer counts a quarter of the characters, or of the bytes, of the text as it is set out, or of its compact
// form: all of them are near enough.
func TestCountsOfTheWriterAreBelieved(t *testing.T) {
	root, err := jsontree.Parse(load(t, "good/full.json"))
	if err != nil {
		t.Fatal(err)
	}
	for n, warned := range map[int]bool{0: true, len(load(t, "good/full.json")) / 4: false, len(root.Append(nil)) / 4: false, 2000: true} {
		root, _ := jsontree.Parse(load(t, "good/full.json"))
		root.At("/handoff/meta").Set("token_count", jsontree.New(n))
		d := mustParse(t, root.OnLines(load(t, "good/full.json")))
		r := validate(t, d, options().Options)
		if got := strings.Contains(fmt.Sprint(r.Warnings), "30 %"); got != warned {
			t.Errorf("token_count %d: %v", n, r.Warnings)
		}
	}
}

// A document that takes too many tokens is refused without a count by a tokenizer, unless it is near the budget.
func TestCheckEstimatesTokens(t *testing.T) {
	for n, valid := range map[int]bool{10: true, 1500: true, 2600: false, 40_000: false} {
		d := with(t, "/handoff/payload/working/notes", strings.TrimSpace(strings.Repeat("word ", n)))
		r, err := d.Check(schema.Universal())
		if err != nil || r.Valid() != valid {
			t.Errorf("%d words: %v %v", n, r.Faults, err)
		}
	}
}

// A repaired document and the body of a stored one are set out as the text that came.
func TestFormattingIsKept(t *testing.T) {
	for _, name := range []string{"bad/offset.json", "bad/unknown-handoff-key.json", "bad/trace-id-missing.json"} {
		src := load(t, name)
		r := mustRepair(t, mustParse(t, src), options())
		got := bytes.Count(r.Document.Bytes(), []byte("\n"))
		if want := bytes.Count(src, []byte("\n")); got < want-4 || got > want+4 {
			t.Errorf("%s: %d lines are repaired to %d:\n%s", name, want, got, r.Document.Bytes())
		}
	}
	src := load(t, "good/full.json")
	if body := mustParse(t, src).Body(); !strings.Contains(body, strings.TrimSpace(string(src))) {
		t.Errorf("the body holds another text:\n%s", body)
	}
}

// A byte-order mark and line ends of another system do not move the places that are set out again.
func TestTextOfRepairedDocumentParses(t *testing.T) {
	src := append([]byte("\ufeff"), bytes.ReplaceAll(load(t, "bad/offset.json"), []byte("\n"), []byte("\r\n"))...)
	r := mustRepair(t, mustParse(t, src), options())
	if _, err := jsontree.Parse(r.Document.Bytes()); err != nil || !bytes.Contains(r.Document.Bytes(), []byte("\r\n")) {
		t.Errorf("%v: %q", err, r.Document.Bytes())
	}
}
