package form_test

import (
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// What stands here was read by datetime.fromisoformat of Python 3.11.
func TestISO(t *testing.T) {
	for s, want := range map[string]string{
		"2026-11-20T14:32:00Z":             "2026-11-20T14:32:00Z",
		"2026-11-20 14:32:00+00:00":        "2026-11-20T14:32:00Z",
		"2026-11-20t14:32-05":              "2026-11-20T19:32:00Z",
		"20261120T143200Z":                 "2026-11-20T14:32:00Z",
		"20261120é1432+0530":               "2026-11-20T09:02:00Z",
		"2024-02-29T12:00:00.5-00:30":      "2024-02-29T12:30:00.5Z",
		"2026-11-20T12:00:00.123456789Z":   "2026-11-20T12:00:00.123456789Z",
		"2026-11-20T12:00:00.12345678901Z": "2026-11-20T12:00:00.123456789Z",
		"2026-11-20T12:00:00+02:30:15.5":   "2026-11-20T09:29:44.5Z",
		"0001-01-01T00:00:00Z":             "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59Z":             "9999-12-31T23:59:59Z",
	} {
		got, ok := form.ISO(s)
		if !ok || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: got %s, %t, want %s", s, got.Format(time.RFC3339Nano), ok, want)
		}
	}
	for _, s := range []string{"", "Z", "2026-11-20", "2026-11-20Z", "2026-11-20T14:32:00", "2026-11-20T24:00:00Z", "2026-02-29T12:00:00Z", "2026-11-20T12:60Z",
		"2026-11-20T12:00:60Z", "2026-11-20T12:00:00z", "2026-11-20T12:00:00+24:00", "2026-11-20T12:00:00+2", "2026-324T12:00Z", "2026-11T12:00Z", "2026-W47-5T10:00Z",
		"2026W475T10Z", "2026-W47T00Z", "0000-01-01T00:00:00Z", "2026-11-20T12:00:00−02:00", "2026-11-20TZ", "2026-11-20T1:00Z", "yesterday", "2026-11-20T12:00:00.Z", "2026-11-20T12:00:00Z\n"} {
		if got, ok := form.ISO(s); ok {
			t.Errorf("%q was read as %s", s, got)
		}
	}
}

// Every time that RFC 3339 writes, and Python can hold, is the same time here.
func FuzzISOTakesRFC3339(f *testing.F) {
	for _, s := range []string{"2026-05-07T12:00:00Z", "2024-02-29T23:59:59.123456789-23:59", "0001-01-01T00:00:00+01:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, zoned := form.Zoned(s)
		got, ok := form.ISO(s)
		if zoned && s[:4] != "0000" && (!ok || !got.Equal(want)) {
			t.Fatalf("%q: got %s, %t, want %s", s, got, ok, want)
		}
	})
}
