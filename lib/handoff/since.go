package handoff

import (
	"strconv"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// ParseSince reads what people write for Filter.Since: a time of RFC 3339, a date, or a duration before now, such as
// 48h, 7d or 2w. Anything else is ErrInvalid.
func ParseSince(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		count, isUnit := strings.CutSuffix(text, unit)
		if n, err := strconv.ParseUint(count, 10, 16); isUnit && err == nil && n > 0 {
			return now.AddDate(0, 0, -int(n)*days), nil
		}
	}
	return time.Time{}, fault.New(ErrInvalid, "give a time such as 2026-05-07T12:00:00Z, a date, or a duration such as 48h, 7d or 2w", "%q is no time", text)
}
