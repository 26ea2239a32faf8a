package cli

import (
	"strings"
	"testing"
	"time"
)

func TestFit(t *testing.T) {
	t.Parallel()
	id := "sha256:8a751dcf2a9132eb85b3539346282789dd38cfac5bd0c13ecc1873f861574ef5"
	for text, want := range map[string]string{
		id:                           "8a751dcf",
		"a " + id + ", " + id + ".":  "a 8a751dcf, 8a751dcf.",
		id + "0 sha256: sha256:12ab": id + "0 sha256: sha256:12ab",
		"no id":                      "no id",
	} {
		if got := withShortIDs(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	local := time.Date(2026, 5, 7, 12, 30, 0, 0, time.UTC).Local().Format("2006-01-02 15:04")
	for text, want := range map[string]string{
		"is taken by ben since 2026-05-07T12:30:00Z, until 2026-05-07T12:30:00.5Z": "is taken by ben since " + local + ", until " + local,
		"was done by ben at 2026-05-07T12:30:00Z":                                  "was done by ben at " + local,
		"retry with --ts 2026-05-07T12:30:00Z":                                     "retry with --ts 2026-05-07T12:30:00Z",
		"since then":                                                               "since then",
	} {
		if got := withLocalTimes(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if line := strings.Repeat("word ", 40) + id; Fit(&strings.Builder{}, line) != line {
		t.Error("a pipe gets another text")
	}
}
