package canon_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/seed-78daf238/handoff/lib/internal/canon"
)

// TestBytesByLibrary holds the body, which Bytes writes itself, to what the library makes of the whole.
func TestBytesByLibrary(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\x00\b\t\n\f\r\x1f \"\\/<>&\x7f\u0085\u2028\ufffd\uffff\U0010ffff"))))
	rapid.Check(t, func(t *rapid.T) {
		h := canon.Handoff{Body: text.Draw(t, "body"), From: text.Draw(t, "from"), References: []string{text.Draw(t, "reference")}, Tags: []string{}}
		encoded, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		want, err := jcs.Transform(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := canon.Bytes(h); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v\n got %s\nwant %s", err, got, want)
		}
	})
}
