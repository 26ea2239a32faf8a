package form

import (
	"strconv"
	"strings"
	"time"
)

// Duration parses a duration of time.ParseDuration, or a number of days or weeks.
func Duration(s string) (time.Duration, bool) {
	const most = 100_000 // a time.Duration holds no more than 106,751
	if days, ok := Days(s); ok {
		return time.Duration(days) * 24 * time.Hour, days <= most
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// Days parses a number of days or weeks, such as 3d or 2w.
func Days(s string) (days int, ok bool) {
	for unit, length := range map[string]int{"d": 1, "w": 7} {
		count, isUnit := strings.CutSuffix(s, unit)
		if n, err := strconv.ParseUint(count, 10, 16); isUnit && err == nil {
			return int(n) * length, true
		}
	}
	return 0, false
}

// Since parses a past time as people write it: a time with or without zone, a day, or a duration before now. Without
// a zone it is in that of now.
func Since(text string, now time.Time) (at time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05",
		"2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, true
		}
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, true
	}
	if back, is := map[string]int{"today": 0, "yesterday": 1}[strings.ToLower(text)]; is {
		y, m, d := now.Date()
		return time.Date(y, m, d-back, 0, 0, 0, 0, now.Location()), true
	}
	text = strings.TrimSuffix(text, " ago")
	if days, ok := Days(text); ok && days > 0 {
		return now.AddDate(0, 0, -days), true
	}
	d, ok := Duration(text)
	return now.Add(-d), ok && d > 0
}

// Ago formats the time since at in the largest unit that fits. A time more than a week ago, or in the future, is a day
// in the zone of now, with the year if that differs.
func Ago(at, now time.Time) string {
	passed := now.Sub(at)
	switch days := int(passed.Hours() / 24); {
	case passed < -time.Minute:
		return at.In(now.Location()).Format("2006-01-02 15:04")
	case passed < time.Minute:
		return "just now"
	case passed < time.Hour:
		return strconv.Itoa(int(passed.Minutes())) + " min ago"
	case days == 0:
		return strconv.Itoa(int(passed.Hours())) + " h ago"
	case days < 7:
		return strconv.Itoa(days) + " d ago"
	case at.In(now.Location()).Year() == now.Year():
		return at.In(now.Location()).Format("2 Jan")
	}
	return at.In(now.Location()).Format("2 Jan 2006")
}

// Rough formats a duration in its largest unit, rounded down.
func Rough(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h"
	case d >= time.Minute:
		return strconv.Itoa(int(d.Minutes())) + " min"
	}
	return strconv.Itoa(int(d.Seconds())) + " s"
}
