package form

import (
	"strconv"
	"strings"
	"time"
)

// Duration reads a duration as time.ParseDuration does, and one in days or weeks as Days does.
func Duration(s string) (time.Duration, bool) {
	const most = 100_000 // a time.Duration holds no more than 106,751
	if days, ok := Days(s); ok {
		return time.Duration(days) * 24 * time.Hour, days <= most
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// Days reads a number of days or weeks, such as 3d or 2w.
func Days(s string) (days int, ok bool) {
	for unit, length := range map[string]int{"d": 1, "w": 7} {
		count, isUnit := strings.CutSuffix(s, unit)
		if n, err := strconv.ParseUint(count, 10, 16); isUnit && err == nil {
			return int(n) * length, true
		}
	}
	return 0, false
}

// Since reads a point in the past as people write it: a time of RFC 3339, a date, or how long before now it was.
func Since(text string, now time.Time) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	if days, ok := Days(text); ok && days > 0 {
		return now.AddDate(0, 0, -days), true
	}
	d, ok := Duration(text)
	return now.Add(-d), ok && d > 0
}
