package life_test

import (
	"slices"
	"testing"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/life"
)

// The file of a handoff that another replica pruned goes after 90 days, whether the clock there was ahead or the clock
// here was behind.
func TestBurialByAnotherClock(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	came := time.Date(2026, 5, 9, 10, 0, 0, 0, time.UTC)
	days := func(from time.Time, n int) (all []time.Time) {
		for i := range n {
			all = append(all, from.Add(time.Duration(i)*day))
		}
		return all
	}
	wrong := func(years ...int) (all []time.Time) {
		for _, year := range years {
			all = append(all, time.Date(year, 1, 2, 0, 0, 0, 0, time.UTC))
		}
		return all
	}
	daily := days(came, 500)
	for name, test := range map[string]struct {
		pruned    time.Time // by the clock of the writer
		exchanges []time.Time
		want      int // the exchange that removes it
	}{
		"both clocks are right":           {came, daily, 90},
		"the writer is behind":            {came.Add(-1000 * day), daily, 90},
		"the writer is hours ahead":       {came.Add(20 * time.Hour), daily, 91},
		"the writer is days ahead":        {came.Add(5 * day), daily, 91},
		"the writer is years ahead":       {came.Add(1000 * day), daily, 90},
		"we were behind":                  {came, slices.Concat(wrong(1970), daily), 91},
		"we were behind twice":            {came, slices.Concat(wrong(1970, 2020), daily), 92},
		"we were behind for days":         {came, slices.Concat(days(came.Add(-40*day), 10), days(came.Add(10*day), 200)), 91},
		"we fell behind later":            {came, slices.Concat(days(came, 50), wrong(1970), days(came.Add(50*day), 200)), 91},
		"we rarely exchange":              {came, []time.Time{came, came.Add(89 * day), came.Add(300 * day)}, 2},
		"we rarely exchange, it is ahead": {came.Add(200 * day), []time.Time{came, came.Add(100 * day), came.Add(300 * day), came.Add(390 * day)}, 3},
	} {
		var b life.Burial
		got := slices.IndexFunc(test.exchanges, func(now time.Time) bool {
			b.Count(test.pruned.Format(time.RFC3339), now)
			return b.IsOver(now)
		})
		if got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
