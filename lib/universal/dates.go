package universal

import (
	"strconv"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// UTC returns a time in UTC with Z, and the change. It reads all layouts that a repair reads. For another text it
// returns "".
func UTC(text string) (utc, why string) { return inUTC(jsontree.NewString(text)) }

// inUTC returns a time in UTC with Z, and the change. It returns "" if v is not a time.
func inUTC(v *jsontree.Value) (text, why string) {
	if _, ok := instant(v); ok || v.Kind != jsontree.String && v.Kind != jsontree.Number {
		return v.Text, ""
	}
	source := spaced(v.Text)
	for _, form := range known().Times {
		for _, layout := range form.Layouts {
			if t, err := time.Parse(layout, source); err == nil {
				return written(t), form.Why
			}
		}
	}
	if text = written(epoch(v.Text)); text == "" {
		return "", ""
	}
	return text, "converted from seconds since 1970, or fractions of them"
}

// written formats an instant for the schema. It returns "" if the schema has no form for it.
func written(t time.Time) string {
	if t.IsZero() || t.UTC().Year() > 9999 {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// spaced normalizes a time for the layouts: no comments in parentheses, single spaces, zones as numbers.
func spaced(text string) string {
	if at := strings.IndexByte(text, '('); at > 0 {
		text = text[:at]
	}
	words := strings.Fields(strings.ToUpper(text))
	for i, word := range words {
		if zone := known().Zones[word]; zone != "" && i > 0 {
			words[i] = zone
		}
	}
	text = strings.Join(words, " ")
	if len(text) > 11 && text[10] == ' ' && text[4] == '-' {
		text = text[:10] + "T" + text[11:]
	}
	return text
}

// epoch reads seconds since 1970, or milli-, micro- or nanoseconds: the unit that gives a year between 1973 and
// 5138.
func epoch(text string) time.Time {
	whole, fraction, _ := strings.Cut(strings.TrimSpace(text), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if _, none := strconv.ParseUint("0"+fraction, 10, 64); err != nil || none != nil || n < 1e8 {
		return time.Time{}
	}
	unit := time.Second
	for n >= 1e11 && unit > time.Nanosecond && n >= 1e11*int64(time.Second/unit) {
		unit /= 1000
	}
	each := int64(time.Second / unit)
	t := time.Unix(n/each, n%each*int64(unit))
	if part, err := strconv.ParseFloat("0."+fraction, 64); err == nil && unit == time.Second {
		t = t.Add(time.Duration(part * float64(time.Second)).Round(time.Microsecond))
	}
	return t
}
