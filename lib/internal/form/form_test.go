package form_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

var digest = strings.Repeat("0123456789abcdef", 4)

func TestIs(t *testing.T) {
	slug := func(s string) bool { return form.IsSlug(s, 8) }
	for _, c := range []struct {
		name    string
		is      func(string) bool
		yes, no []string
	}{
		{"slug", slug, []string{"a", "A-z_09", "--------"}, []string{"", "a b", "a\n", "a.b", "é", "aaaaaaaaa", "a\x00", "a/b", "ａ"}},
		{"id", form.IsID, []string{"sha256:" + digest}, []string{"", digest, "sha256:", "sha256:" + digest + "0", "sha256:" + digest[1:],
			"sha256:" + digest + "\n", "SHA256:" + digest, "sha256:" + strings.ToUpper(digest), "sha256:g" + digest[1:], " sha256:" + digest}},
		{"digest", form.IsDigest, []string{digest}, []string{"", digest[1:], digest + "0", strings.ToUpper(digest), "g" + digest[1:], digest[1:] + "\n"}},
		{"writer", form.IsWriter, []string{"w-0123456789abcdef"}, []string{"", "w-", "w-0123456789abcde", "w-0123456789abcdef0", "w-0123456789abcdeg", "v-0123456789abcdef", "0123456789abcdef"}},
		{"hex", form.IsHex, []string{"", "0af9"}, []string{"A", "g", " ", "0x1", "0\n"}},
		{"date", func(s string) bool { return form.Matches(s, "0000-00-00") }, []string{"2026-05-07", "9999-99-99", "0000-00-00"},
			[]string{"", "2026-05-7", "2026-05-070", "2026/05/07", "2026-05-0a", "2026005-07"}},
		{"instant", form.IsInstant, []string{"2026-05-07T12:00:00Z", "2024-02-29T23:59:59.123456789Z", "2026-05-07T12:00:00.5Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"},
			[]string{"", "Z", "2026-05-07", "2026-05-07T12:00:00", "2026-05-07t12:00:00Z", "2026-05-07T12:00:00z", "2026-05-07 12:00:00Z",
				"2026-05-07T12:00Z", "2026-5-7T12:00:00Z", "2026-02-29T12:00:00Z", "2026-04-31T12:00:00Z", "2026-13-01T12:00:00Z", "2026-00-01T12:00:00Z",
				"2026-01-00T12:00:00Z", "2026-05-07T24:00:00Z", "2026-05-07T12:60:00Z", "2026-05-07T12:00:60Z", "2026-05-07T12:00:00.Z",
				"2026-05-07T12:00:00,5Z", "2026-05-07T12:00:00.1234567890Z", "2026-05-07T12:00:00+00:00", "2026-05-07T12:00:00ZZ", "2026-05-07T12:00:00Z\n", "+2026-05-07T12:00:00Z"}},
	} {
		for _, s := range c.yes {
			if !c.is(s) {
				t.Errorf("%q is no %s", s, c.name)
			}
		}
		for _, s := range c.no {
			if c.is(s) {
				t.Errorf("%q is a %s", s, c.name)
			}
		}
	}
}

func TestZoned(t *testing.T) {
	for s, want := range map[string]string{
		"2026-05-07T12:00:00Z":             "2026-05-07T12:00:00Z",
		"2026-05-07T12:00:00.25+02:00":     "2026-05-07T10:00:00.25Z",
		"2026-05-07T12:00:00-05:30":        "2026-05-07T17:30:00Z",
		"2026-01-01T00:30:00.000001+23:59": "2025-12-31T00:31:00.000001Z",
	} {
		if got, ok := form.Zoned(s); !ok || got.Format(time.RFC3339Nano) != want || got.Location() != time.UTC {
			t.Errorf("%s: got %s, %t, want %s", s, got, ok, want)
		}
	}
	for _, s := range []string{"2026-05-07T12:00:00", "2026-05-07T12:00:00+2:00", "2026-05-07T12:00:00+0200", "2026-05-07T12:00:00+24:00",
		"2026-05-07T12:00:00+02:60", "2026-05-07T12:00:00 02:00", "2026-05-07T12:00:00+02:00Z", "2026-05-07T12:00:00−02:00"} {
		if got, ok := form.Zoned(s); ok {
			t.Errorf("%s was read as %s", s, got)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"BEN", "ben", "from", "to", "topic", "references", "done"}
	for word, want := range map[string]string{"From": "from", "topik": "topic", "reference": "references", "From ": "from", "form": "from", "nope": "", "ot": "to", "colour": "", "": "",
		"bem": "ben", "BEM": "BEN", strings.Repeat("x", 1<<20): ""} {
		if got := form.Nearest(word, known); got != want {
			t.Errorf("Nearest(%.20q) = %q, want %q", word, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		n    int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"ben", "bne", 1}, {"ben", "ann", 2}, {"kitten", "sitting", 3}, {"名前", "前名", 1}} {
		if n := form.Edits(tt.a, tt.b); n != tt.n {
			t.Errorf("%q, %q: got %d, want %d", tt.a, tt.b, n, tt.n)
		}
	}
}

var rfc3339 = regexp.MustCompile(`\A\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)\z`)

// A time has the form exactly if the pattern and the calendar of the time package say so.
func FuzzZonedIsThePatternAndTheCalendar(f *testing.F) {
	for _, s := range []string{"2026-05-07T12:00:00Z", "2026-02-29T12:00:00.5+02:00", "2024-02-29T23:59:59.123456789-23:59", "2100-02-29T00:00:00Z", "0000-12-31T23:59:59,9Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := time.Parse(time.RFC3339Nano, s)
		wanted := err == nil && rfc3339.MatchString(s)
		got, ok := form.Zoned(s)
		if ok != wanted || ok && !got.Equal(want) {
			t.Fatalf("%q: got %s, %t, want %s, %t", s, got, ok, want, wanted)
		}
		if instant, is := form.Instant(s); is != (ok && s[len(s)-1] == 'Z') || is && !instant.Equal(got) {
			t.Fatalf("%q: got %s, %t", s, instant, is)
		}
	})
}
