package handoff_test

import (
	"errors"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 7, 12, 0, 0, 0, time.UTC)
	for passed, want := range map[time.Duration]string{
		0: "just now", 90 * time.Second: "1 min ago", 59 * time.Minute: "59 min ago", 2 * time.Hour: "2 h ago", 25 * time.Hour: "1 d ago",
		6 * 24 * time.Hour: "6 d ago", 20 * 24 * time.Hour: "17 Apr", 800 * 24 * time.Hour: "27 Feb 2024", -time.Hour: "2026-05-07 13:00",
	} {
		if got := handoff.Ago(now.Add(-passed), now); got != want {
			t.Errorf("%v: got %q, want %q", passed, got, want)
		}
	}
}

func TestParseSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 7, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-05-01":           "2026-05-01T00:00:00Z",
		"2026-05-01T02:00:00Z": "2026-05-01T02:00:00Z",
		"36h":                  "2026-05-06T00:00:00Z",
		"7d":                   "2026-04-30T12:00:00Z",
		"2w":                   "2026-04-23T12:00:00Z",
		"2026-05-01T02:00":     "2026-05-01T02:00:00Z",
		"2026-05-01 02:00":     "2026-05-01T02:00:00Z",
		"2026-05-01T02:00Z":    "2026-05-01T02:00:00Z",
		"yesterday":            "2026-05-06T00:00:00Z",
		"today":                "2026-05-07T00:00:00Z",
		"36h ago":              "2026-05-06T00:00:00Z",
		"65535w":               "0770-05-07T12:00:00Z", // more than a Duration holds
	} {
		got, err := handoff.ParseSince(text, now)
		if err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%s is %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0d", "-7d", "d", "1.5w", "7", "soon", "70000d"} {
		if got, err := handoff.ParseSince(text, now); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
}
