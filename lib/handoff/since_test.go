package handoff_test

import (
	"errors"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 5, 7, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-05-01":           "2026-05-01T00:00:00Z",
		"2026-05-01T02:00:00Z": "2026-05-01T02:00:00Z",
		"36h":                  "2026-05-06T00:00:00Z",
		"7d":                   "2026-04-30T12:00:00Z",
		"2w":                   "2026-04-23T12:00:00Z",
		"65535w":               "0770-05-07T12:00:00Z", // more than a Duration holds
	} {
		got, err := handoff.ParseSince(text, now)
		if err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%s is %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0d", "-7d", "d", "1.5w", "7", "yesterday", "70000d"} {
		if got, err := handoff.ParseSince(text, now); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
}
