package json_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	jsontree "github.com/seed-78daf238/handoff/lib/internal/json"
)

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
		if got, again := jsontree.CanonicalOf(event); err != nil || again != nil || !bytes.Equal(got, text) {
			t.Fatalf("%s, by the library %s (%v, %v)", got, text, err, again)
		}
	})
}
