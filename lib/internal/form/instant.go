package form

import (
	"strings"
	"time"
)

// IsInstant reports whether s is an instant.
func IsInstant(s string) bool {
	_, ok := Instant(s)
	return ok
}

// Instant parses an instant. time.Parse accepts too much: a comma before the fraction, an hour of one digit, and a
// fraction of any length.
func Instant(s string) (time.Time, bool) {
	if !strings.HasSuffix(s, "Z") {
		return time.Time{}, false
	}
	return Zoned(s)
}

// CompareInstants compares two instants. One that is not valid is before all others.
func CompareInstants(a, b string) int {
	x, _ := Instant(a)
	y, _ := Instant(b)
	return x.Compare(y)
}

// Zoned parses an instant with a zone or an offset, and returns it in UTC. An invalid one is no particular time.
func Zoned(s string) (time.Time, bool) {
	const whole = "0000-00-00T00:00:00"
	if len(s) <= len(whole) || !Matches(s[:len(whole)], whole) {
		return time.Time{}, false
	}
	zone := strings.TrimLeft(s[len(whole):], ".0123456789")
	isZone := zone == "Z" || (Matches(zone, "+00:00") || Matches(zone, "-00:00")) && zone[1:3] < "24" && zone[4:] < "60"
	const mostFraction = len(".000000000")
	t, err := time.Parse(time.RFC3339, s)
	return t.UTC(), err == nil && isZone && len(s)-len(whole)-len(zone) <= mostFraction
}

// isoForm matches the times with an offset that datetime.fromisoformat of Python 3.11 accepts, without week dates: a
// date, any one character, a time, and Z or an offset as precise as a time.
var isoForm = Pattern(`^(?:(\d{4})-(\d\d)-(\d\d)|(\d{4})(\d\d)(\d\d))[\s\S]` + clockForm + `(?:Z|([+-])` +
	clockForm + `)$`)

const clockForm = `(\d\d(?::\d\d(?::\d\d(?:[.,]\d+)?)?|\d\d(?:\d\d(?:[.,]\d+)?)?)?)`

// ISO parses a time of ISO 8601 with an offset, and returns it in UTC. It accepts what datetime.fromisoformat of
// Python 3.11 accepts, except week dates:
//
//   - a calendar date, with or without hyphens
//   - any one character
//   - a time to the hour, minute or second, with or without colons, and a fraction of any length
//   - Z, or an offset as precise as a time
//
// It refuses a time without an offset, which names no moment.
func ISO(s string) (time.Time, bool) {
	m := isoForm().FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	// Of the two forms of a date only one has matched; the groups of the other are empty.
	day, err := time.Parse("20060102", m[1]+m[4]+m[2]+m[5]+m[3]+m[6])
	since, isClock := isoClock(m[7])
	east, isZone := isoClock(m[9])
	if m[8] == "-" {
		east = -east
	}
	if err != nil || day.Year() == 0 || !isClock || !isZone {
		return time.Time{}, false
	}
	return day.Add(since - east), true
}

// isoClock parses a time of day of isoForm. "" is midnight.
func isoClock(s string) (since time.Duration, ok bool) {
	whole, fraction, _ := strings.Cut(strings.NewReplacer(":", "", ",", ".").Replace(s), ".")
	t, err := time.Parse("150405.000000000", whole+"000000"[len(whole):]+"."+(fraction + "000000000")[:9])
	return t.Sub(time.Date(0, time.January, 1, 0, 0, 0, 0, time.UTC)), err == nil
}
