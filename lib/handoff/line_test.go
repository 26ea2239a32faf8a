package handoff_test

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Line says what JSON says.
func TestReceiptLine(t *testing.T) {
	t.Parallel()
	for _, r := range []handoff.Receipt{{}, {ID: "sha256:0", Path: "a <&> \u202e\x1b\u2028.md", Time: "t", Status: "created"},
		{ID: "sha256:0", Signature: &handoff.Signature{State: "good"}}} {
		want, err := handoff.JSON(r, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Line(); got != want || err != nil {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
}
