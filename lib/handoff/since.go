package handoff

import "time"

// ParseSince reads what people write for Filter.Since: a time of RFC 3339, a date, or a duration before now.
// Anything else is ErrInvalid.
func ParseSince(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, problem(ErrInvalid, "give a time such as 2026-05-07T12:00:00Z, a date, or a duration such as 48h", "%q is no time", text)
}
