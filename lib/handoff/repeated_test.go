package handoff_test

import (
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// TestRepeated sends a text again as the handoff that it is, until that one is over. Then it is another one.
func TestRepeated(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	doc := handoff.Document{SchemaVersion: "1.0", From: "ann", To: "ben", Topic: "one", Time: "2026-05-07T12:00:00Z", Body: "body\n"}
	first := mustWrite(t, s, source("one", "body\n"))
	later := doc
	later.Time = "2026-05-07T12:09:00Z"
	expect := func(sent handoff.Document, want string) {
		t.Helper()
		if got := s.Repeated(sent, 10*time.Minute).Time; got != want {
			t.Errorf("sent at %s it is that of %s, want %s", sent.Time, got, want)
		}
	}
	expect(later, doc.Time)
	later.Time = "2026-05-07T12:11:00Z"
	expect(later, later.Time)
	other := doc
	other.Body = "other\n"
	expect(other, doc.Time)

	if _, err := s.Act(t.Context(), handoff.ActDone, first.ID, handoff.Consumption{Operator: "ben"}); err != nil {
		t.Fatal(err)
	}
	expect(doc, "2026-05-07T12:00:01Z")
	later.Time = "2026-05-07T12:05:00Z"
	expect(later, later.Time)
}
