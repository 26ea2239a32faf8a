package eventlog_test

import (
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/eventlog"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A signature is not part of the hash of a line, and neither is the layout of the line.
func TestHashLineWithoutSignature(t *testing.T) {
	const bare = `{"a":"\"signature\":","b":1}`
	want := jsontree.SHA256Hex([]byte(bare))
	for _, line := range []string{bare, `{"a":"\"signature\":","b":1,"signature":"x"}`, `{"a":"\"signature\":","b":1,"signing_key_id":"x"}`,
		`{"b":1,"a":"\"signature\":"}`, `{"a": "\"signature\":","b":1, "signature":{}}`} {
		if got, err := eventlog.HashLine([]byte(line)); err != nil || got != want {
			t.Errorf("%s: %s, %v", line, got, err)
		}
	}
}
