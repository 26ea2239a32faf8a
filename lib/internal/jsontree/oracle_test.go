package jsontree_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// TestObjectByLibrary holds what Object writes itself to what the library makes of it.
func TestObjectByLibrary(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\x00\b\t\n\f\r\x1f \"\\/<>&\x7f\u0085\u2028\ufffd\uffff\U0010ffff"))))
	rapid.Check(t, func(t *rapid.T) {
		body, from, reference := text.Draw(t, "body"), text.Draw(t, "from"), text.Draw(t, "reference")
		encoded, err := json.Marshal(map[string]any{"to": from, "body": body, "topic": "", "list": []string{reference}, "none": []string{}})
		if err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := jsontree.CanonicalObject([]jsontree.Field{{Key: "to", Text: from}, {Key: "body", Text: body}, {Key: "topic"}, {Key: "list", List: []string{reference}, IsList: true}, {Key: "none", IsList: true}}); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v\n got %s\nwant %s", err, got, want)
		}
	})
}

// FuzzCanonical: what is taken for canonical is what the library makes of it, and what the library makes of
// events as the store writes them is taken for canonical.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-20,0,true,null,{}],"b":"\u001f\n\"é"}`, `{"b":1,"a":2}`, `{"a":-0}`, `{"a":01}`, `{"a":"\/"}`, `{"a":"\u000a"}`,
		`{"a":1,"a":1}`, `{"é":1}`, `{"a":1e3}`, `{"a":9007199254740993}`, `{"a": 1}`, `{"":[],"\u0001":1}`, `{"a":"\u001F"}`, "{\"a\":\"\x7f\"}", `{"a":-}`, `{"a":1-1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !utf8.Valid(text) {
			return
		}
		want, err := jcs.Transform(text)
		if jsontree.IsCanonical(text) && (err != nil || !bytes.Equal(want, text)) {
			t.Fatalf("%q is taken for canonical; the library says %q, %v", text, want, err)
		}
	})
}

// FuzzTransformByLibrary: what has a canonical form has the one that the library gives it.
func FuzzTransformByLibrary(f *testing.F) {
	for _, seed := range []string{`{"b":[1.5e3,null,true],"a":"\u00e9"}`, `{"\ud83d\ude00":1,"\ufb33":2,"10":3,"9":4}`, `[1e21,1e-7,0.1e1,-0,123456789012345680000,5e-324,1.7976931348623157e308]`, `"\u2028\/"`, ` [ ] `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := jsontree.Canonicalize(text)
		if err != nil {
			return
		}
		if want, err := jcs.Transform(text); err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%q becomes %q, by the library %q", text, got, want)
		}
	})
}

func TestEventsAreCanonical(t *testing.T) {
	plain := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\x00\b\t\n\f\r\x1f \"\\/<>&\x7f\u0085\u2028\ufffd\uffff\U0010ffff"))))
	rapid.Check(t, func(t *rapid.T) {
		event := map[string]any{"payload": map[string]any{"tags": rapid.SliceOf(plain).Draw(t, "tags"), "n": rapid.IntRange(-1e15+1, 1e15-1).Draw(t, "n"), "x": nil, "y": true},
			"event_type": plain.Draw(t, "type"), "redaction_applied": []string{}}
		encoded, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		text, err := jcs.Transform(encoded)
		if err != nil || !jsontree.IsCanonical(text) {
			t.Fatalf("%s is not taken for canonical (%v)", text, err)
		}
	})
}
