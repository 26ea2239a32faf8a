package form

import (
	"strings"
	"time"
	"unicode/utf8"
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

// ISO returns the moment, in UTC, that a time of ISO 8601 with its offset names, and whether s is one.
// It takes what datetime.fromisoformat of Python 3.11 takes: calendar and week dates, each with or
// without hyphens, any one character before the time, a time to the hour, minute or second with or
// without colons, any number of digits of a fraction, Z or an offset as fine as a time. A time without
// an offset names no moment.
func ISO(s string) (time.Time, bool) {
	day, rest, ok := isoDate(s)
	if !ok || rest == "" {
		return time.Time{}, false
	}
	_, size := utf8.DecodeRuneInString(rest)
	clock := rest[size:]
	at := strings.IndexAny(clock, "+-Z")
	if at < 0 {
		return time.Time{}, false
	}
	since, ok := isoClock(clock[:at])
	east, zoned := isoOffset(clock[at:])
	const dayLong = 24 * time.Hour
	if !ok || !zoned || since >= dayLong || east >= dayLong || east <= -dayLong {
		return time.Time{}, false
	}
	t := day.Add(since - east)
	return t, true
}

// isoDate takes a date from the front of s.
func isoDate(s string) (day time.Time, rest string, ok bool) {
	for _, shape := range isoDates(s) {
		if len(s) < len(shape) || !Matches(s[:len(shape)], shape) {
			continue
		}
		digits := strings.Map(func(r rune) rune {
			if r == '-' || r == 'W' {
				return -1
			}
			return r
		}, s[:len(shape)])
		if strings.Contains(shape, "W") {
			day, ok = ofWeek(number(digits[:4]), number(digits[4:6]), digits[6:])
		} else {
			day, ok = ofMonth(number(digits[:4]), number(digits[4:6]), number(digits[6:]))
		}
		return day, s[len(shape):], ok
	}
	return time.Time{}, "", false
}

// isoDates returns the shapes that the beginning of s allows, as Python resolves what is ambiguous:
// whether a week is followed by its day, or by the character before the time.
func isoDates(s string) []string {
	const week, weekDay = "0000-W00", "0000-W00-0"
	switch {
	case len(s) > 5 && s[4] == '-' && s[5] == 'W':
		if len(s) > 10 && s[8] == '-' && isDigit(s[10]) {
			return []string{week}
		}
		return []string{weekDay, week}
	case len(s) > 4 && s[4] == '-':
		return []string{"0000-00-00"}
	case len(s) > 4 && s[4] == 'W':
		n := 7
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		if n == 7 || n >= 9 && n%2 == 0 {
			return []string{"0000W00"}
		}
		return []string{"0000W000"}
	}
	return []string{"00000000"}
}

func ofMonth(year, month, day int) (time.Time, bool) {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, year > 0 && int(t.Month()) == month && t.Day() == day
}

// ofWeek returns a day of a week of ISO 8601; week 1 is the one with January 4.
func ofWeek(year, week int, day string) (time.Time, bool) {
	weekday := 1
	if day != "" {
		weekday = number(day)
	}
	fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, time.UTC)
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	t := monday.AddDate(0, 0, 7*(week-1)+weekday-1)
	inYear, inWeek := t.ISOWeek()
	return t, year > 0 && weekday >= 1 && weekday <= 7 && inYear == year && inWeek == week
}

// isoClock reads a time of day.
func isoClock(s string) (since time.Duration, ok bool) {
	whole, digits, some := s, "", false
	if at := strings.IndexAny(s, ".,"); at >= 0 {
		whole, digits, some = s[:at], s[at+1:], true
		if len(whole) != len("000000") && len(whole) != len("00:00:00") || !IsDigits(digits) || digits == "" {
			return 0, false
		}
	}
	switch {
	case Matches(whole, "00:00:00"), Matches(whole, "00:00"):
		whole = strings.ReplaceAll(whole, ":", "")
	case !Matches(whole, "00") && !Matches(whole, "0000") && !Matches(whole, "000000"):
		return 0, false
	}
	whole += "000000"[len(whole):]
	hour, minute, second := number(whole[:2]), number(whole[2:4]), number(whole[4:])
	since = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
	if some {
		since += time.Duration(number((digits + "000000000")[:9]))
	}
	return since, minute < 60 && second < 60
}

// isoOffset reads how far a zone lies ahead of UTC.
func isoOffset(s string) (time.Duration, bool) {
	if s == "Z" {
		return 0, true
	}
	east, ok := isoClock(s[1:])
	if s[0] == '-' {
		east = -east
	}
	return east, ok && s[0] != 'Z'
}
