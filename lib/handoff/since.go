package handoff

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// ParseDuration parses a duration such as 90m, 48h, 3d or 2w. Other text is ErrInvalid.
func ParseDuration(text string) (time.Duration, error) {
	d, ok := form.Duration(text)
	if !ok {
		return 0, fault.Invalid("give a duration such as 90m, 48h, 3d or 2w", "%q is not a duration", text)
	}
	return d, nil
}

// ParseUntil parses a future time: a time of RFC 3339, a date, tomorrow (24 hours), or a duration after from, such as
// 48h, 7d or 2w. Other
// text is ErrInvalid.
func ParseUntil(text string, from time.Time) (time.Time, error) {
	if d, ok := form.Duration(text); ok {
		return from.Add(d), nil
	}
	if text == "tomorrow" {
		return from.AddDate(0, 0, 1), nil
	}
	if t, ok := form.Since(text, from); ok {
		return t, nil
	}
	return time.Time{}, fault.Invalid(
		"give a time such as 2026-12-01T12:00:00Z, a date, or a duration such as 48h, 7d or 2w",
		"%q is not a time", text)
}

// ParseSince parses a time for Filter.Since: a time, a date, today, yesterday, or a duration before now, such as 48h,
// 7d or 2w. A time without a zone is in the zone of now. Other text is ErrInvalid.
func ParseSince(text string, now time.Time) (time.Time, error) {
	at, ok := form.Since(text, now)
	if !ok {
		return time.Time{}, fault.Invalid("use yesterday, 7d, 48h or 2026-05-07", "%q is not a time", text)
	}
	return at, nil
}

// Ago formats the time since at in the largest unit that fits, such as "2 h ago".
func Ago(at, now time.Time) string { return form.Ago(at, now) }

// Rough formats a duration in its largest unit of hours, minutes and seconds, rounded down.
func Rough(d time.Duration) string { return form.Rough(d) }
