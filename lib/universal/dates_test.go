package universal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/universal"
)

func TestTimesAreConverted(t *testing.T) {
	for text, want := range map[string]string{
		`"2026-02-07"`:                            "2026-02-07T00:00:00Z it is a day",
		`"7 February 2026"`:                       "2026-02-07T00:00:00Z it is a day",
		`"2026-02-07T18:30:00"`:                   "2026-02-07T18:30:00Z UTC is a guess",
		`"2026-02-07 18:30"`:                      "2026-02-07T18:30:00Z UTC is a guess",
		`"2026-02-07 18:30:00 +0100"`:             "2026-02-07T17:30:00Z converted to UTC",
		`"20260207T183000Z"`:                      "2026-02-07T18:30:00Z converted to UTC",
		`"Sat, 07 Feb 2026 18:30:00 +0100"`:       "2026-02-07T17:30:00Z converted to UTC",
		`"Sat, 7 Feb 2026 18:30:00 GMT"`:          "2026-02-07T18:30:00Z converted to UTC",
		`"Sat, 07 Feb 2026 13:30:00 -0500 (EST)"`: "2026-02-07T18:30:00Z converted to UTC",
		`"Sat Feb  7 10:30:00 PST 2026"`:          "2026-02-07T18:30:00Z converted to UTC",
		`1770489000`:                              "2026-02-07T18:30:00Z since 1970",
		`1770489000.25`:                           "2026-02-07T18:30:00.25Z since 1970",
		`1770489000123`:                           "2026-02-07T18:30:00.123Z since 1970",
		`"1770489000123456"`:                      "2026-02-07T18:30:00.123456Z since 1970",
		`"1770489000123456789"`:                   "2026-02-07T18:30:00.123456789Z since 1970",
		`"Sat, 07 Feb 2026 18:30:00 CEST"`:        "",
		`"2026-02-30"`:                            "",
		`"tomorrow"`:                              "",
		`3`:                                       "",
		`-1770489000`:                             "",
		`"` + strings.Repeat("9", 4000) + `"`:     "",
	} {
		src := strings.Replace(string(load(t, "good/minimal.json")), `"2026-02-07T18:30:00Z"`, text, 1)
		r := mustRepair(t, mustParse(t, []byte(src)), options())
		if want == "" {
			if r.OK() {
				t.Errorf("%s is taken for %s", text, r.Document.Bytes())
			}
			continue
		}
		at, why, _ := strings.Cut(want, " ")
		if !r.OK() {
			t.Errorf("%s: %s", text, r.Failure())
			continue
		}
		root, _ := jsontree.Parse(r.Document.Bytes())
		if got := root.At("/handoff/timestamp").Text; got != at || !strings.Contains(reasons(r), why) {
			t.Errorf("%s gives %s (%s), want %s", text, got, reasons(r), want)
		}
	}
}

func reasons(r universal.Repair) string {
	var all []string
	for _, c := range r.Patch() {
		all = append(all, fmt.Sprint(c.Path, ": ", c.Why))
	}
	return strings.Join(all, "; ")
}
