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

// Instant returns the moment that an instant names, and whether s is one. time.Parse would do for neither: it
// takes a comma before the fraction, one digit of an hour, and a fraction of any length.
func Instant(s string) (time.Time, bool) {
	if !strings.HasSuffix(s, "Z") {
		return time.Time{}, false
	}
	return Zoned(s)
}

// Zoned returns the moment, in UTC, that a time with its zone names, and whether s is one.
func Zoned(s string) (time.Time, bool) {
	const whole = "0000-00-00T00:00:00"
	if len(s) <= len(whole) || !Matches(s[:len(whole)], whole) {
		return time.Time{}, false
	}
	nanoseconds, zone, isFraction := fraction(s[len(whole):])
	east, isZone := offset(zone)
	hour, minute, second := number(s[11:13]), number(s[14:16]), number(s[17:19])
	month, day := time.Month(number(s[5:7])), number(s[8:10])
	t := time.Date(number(s[:4]), month, day, hour, minute, second, nanoseconds, time.UTC)
	// Date carries what a unit cannot hold into the next one: February 30 is a day of March for it.
	onCalendar := t.Month() == month && t.Day() == day && hour < 24 && minute < 60 && second < 60
	return t.Add(-east), isFraction && isZone && onCalendar
}

// fraction takes the digits after a point from the front of s, if there is one, and returns what follows them.
func fraction(s string) (nanoseconds int, rest string, ok bool) {
	rest, some := strings.CutPrefix(s, ".")
	if !some {
		return 0, s, true
	}
	const most = 9
	n := 0
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	if n < 1 || n > most {
		return 0, "", false
	}
	return number(rest[:n] + "000000000"[n:]), rest[n:], true
}

// offset returns how far a zone lies ahead of UTC.
func offset(zone string) (time.Duration, bool) {
	if zone == "Z" {
		return 0, true
	}
	sign := time.Duration(1)
	if strings.HasPrefix(zone, "-") {
		sign = -1
	}
	if !Matches(zone, "+00:00") && !Matches(zone, "-00:00") {
		return 0, false
	}
	hours, minutes := number(zone[1:3]), number(zone[4:])
	return sign * time.Duration(hours*60+minutes) * time.Minute, hours < 24 && minutes < 60
}

// number reads digits, few enough for an int.
func number(digits string) (n int) {
	for i := range len(digits) {
		n = 10*n + int(digits[i]-'0')
	}
	return n
}
