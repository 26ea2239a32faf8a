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

// number parses digits. There must be few enough for an int.
func number(digits string) (n int) {
	for i := range len(digits) {
		n = 10*n + int(digits[i]-'0')
	}
	return n
}

// isoForm matches the times with an offset that datetime.fromisoformat of Python 3.11 accepts. A date by month or by
// week and any one character come first. Then come a time, and Z or an offset as precise as a time. A digit after a
// week and a hyphen is its day. If another digit follows, the hyphen is the character before the time.
var isoForm = Pattern(`^(?:(?:` + monthForm + `|` + weekForm + `)[\s\S]|(\d{4})-W(\d\d)-(\d)\D)` + clockForm +
	`(?:Z|([+-])` + clockForm + `)$`)

const (
	clockForm = `(\d\d(?::\d\d(?::\d\d(?:[.,]\d+)?)?|\d\d(?:\d\d(?:[.,]\d+)?)?)?)`
	monthForm = `(\d{4})-(\d\d)-(\d\d)|(\d{4})(\d\d)(\d\d)`
	weekForm  = `(\d{4})-W(\d\d)|(\d{4})W(\d\d)(\d)??`
)

// ISO parses a time of ISO 8601 with an offset, and returns it in UTC. It accepts what datetime.fromisoformat of
// Python 3.11 accepts:
//
//   - a calendar or week date, with or without hyphens
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
	// Of each pair of alternatives only one has matched; the groups of the other are empty.
	day, err := time.Parse("20060102", m[1]+m[4]+m[2]+m[5]+m[3]+m[6])
	ok := err == nil
	if year := m[7] + m[9] + m[12]; year != "" {
		day, ok = ofWeek(number(year), number(m[8]+m[10]+m[13]), m[11]+m[14])
	}
	since, isClock := isoClock(m[15])
	east, isZone := isoClock(m[17])
	if m[16] == "-" {
		east = -east
	}
	if !ok || day.Year() == 0 || !isClock || !isZone {
		return time.Time{}, false
	}
	return day.Add(since - east), true
}

// ofWeek returns a day of an ISO 8601 week. Week 1 is the week with January 4.
func ofWeek(year, week int, day string) (time.Time, bool) {
	weekday := 1
	if day != "" {
		weekday = number(day)
	}
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC)
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	t := monday.AddDate(0, 0, 7*(week-1)+weekday-1)
	inYear, inWeek := t.ISOWeek()
	return t, weekday >= 1 && weekday <= 7 && inYear == year && inWeek == week
}

// isoClock parses a time of day of isoForm. "" is midnight.
func isoClock(s string) (since time.Duration, ok bool) {
	whole, fraction, _ := strings.Cut(strings.NewReplacer(":", "", ",", ".").Replace(s), ".")
	t, err := time.Parse("150405.000000000", whole+"000000"[len(whole):]+"."+(fraction + "000000000")[:9])
	return t.Sub(time.Date(0, time.January, 1, 0, 0, 0, 0, time.UTC)), err == nil
}
