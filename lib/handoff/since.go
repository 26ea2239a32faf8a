package handoff

import (
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// ParseDuration reads a duration such as 90m, 48h, 3d or 2w. Anything else is ErrInvalid.
func ParseDuration(text string) (time.Duration, error) {
	d, ok := form.Duration(text)
	if !ok {
		return 0, fault.New(ErrInvalid, "give a duration such as 90m, 48h, 3d or 2w", "%q is no duration", text)
	}
	return d, nil
}

// ParseUntil reads what people write for a time to come: a time of RFC 3339, a date, or a duration after a moment, such as
// 48h, 7d or 2w. Anything else is ErrInvalid.
func ParseUntil(text string, from time.Time) (time.Time, error) {
	if d, ok := form.Duration(text); ok {
		return from.Add(d), nil
	}
	if t, ok := form.Since(text, from); ok {
		return t, nil
	}
	return time.Time{}, fault.New(ErrInvalid, "give a time such as 2026-12-01T12:00:00Z, a date, or a duration such as 48h, 7d or 2w", "%q is no time", text)
}

// ParseSince reads what people write for Filter.Since: a time of RFC 3339, a date, or a duration before now, such as
// 48h, 7d or 2w. Anything else is ErrInvalid.
func ParseSince(text string, now time.Time) (time.Time, error) {
	if t, ok := form.Since(text, now); ok {
		return t, nil
	}
	return time.Time{}, fault.New(ErrInvalid, "give a time such as 2026-05-07T12:00:00Z, a date, or a duration such as 48h, 7d or 2w", "%q is no time", text)
}
