package document

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// What the head allows, in characters (code points) and items.
const (
	MaxName       = 64 // from and to
	MaxTopic      = 80
	MaxTag        = 40
	MaxTags       = 32
	MaxReference  = 1024
	MaxReferences = 256
)

// maxAhead is how far ts_utc may lie ahead of the clock at write.
const maxAhead = 24 * time.Hour

var headKeys = []string{"schema_version", "handoff_id", "from", "to", "topic", "ts_utc", "references", "tags"}

// IsSlug reports whether s is a name of 1 to most characters: ASCII letters, digits, _ and -.
func IsSlug(s string, most int) bool {
	return s != "" && len(s) <= most && strings.IndexFunc(s, isNotSlug) < 0
}

func isNotSlug(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
}

// IsID reports whether s has the shape of a handoff_id: sha256: and 64 lower-case hex digits.
func IsID(s string) bool {
	digits, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// IsTime reports whether s is an instant as ts_utc wants it: RFC 3339 with upper-case T and Z, none
// or 1 to 9 fraction digits, on a real calendar day, without leap seconds.
func IsTime(s string) bool {
	const whole = "2006-01-02T15:04:05"
	fraction, ok := strings.CutSuffix(s, "Z")
	if !ok || len(fraction) < len(whole) {
		return false
	}
	if fraction = fraction[len(whole):]; fraction != "" {
		digits, dot := strings.CutPrefix(fraction, ".") // time.Parse would take a comma too
		if !dot || len(digits) < 1 || len(digits) > 9 || strings.Trim(digits, "0123456789") != "" {
			return false
		}
	}
	_, err := time.Parse(whole, s[:len(whole)])
	return err == nil
}

// CheckTime checks a ts_utc: its shape always, and at write also its bounds, from 1970 to a day after
// now. Stored documents are checked without bounds, so that what was once accepted stays readable.
func CheckTime(ts string, now time.Time, atWrite bool) *Fault {
	const pointer = "/ts_utc"
	if !IsTime(ts) {
		return &Fault{Pointer: pointer, Problem: show(ts) + " is no instant of the calendar in UTC", Hint: hintTime}
	}
	if !atWrite {
		return nil
	}
	switch t, err := time.Parse(time.RFC3339Nano, ts); {
	case err != nil:
		return &Fault{Pointer: pointer, Problem: show(ts) + " is no instant of the calendar in UTC", Hint: hintTime}
	case t.Before(time.Unix(0, 0)):
		return &Fault{Pointer: pointer, Problem: show(ts) + " lies before 1970", Hint: "correct the year"}
	case t.After(now.Add(maxAhead)):
		return &Fault{Pointer: pointer, Problem: fmt.Sprintf("%s lies more than 24 h after now (%s)",
			show(ts), now.UTC().Format(time.RFC3339)), Hint: "correct it, or the clock of this machine"}
	}
	return nil
}

const (
	hintTime = "write it like 2026-05-07T12:00:00Z, with upper-case T and Z and at most 9 fraction digits"
	hintID   = "leave handoff_id out, it is computed; or give sha256: and 64 lower-case hex digits"
)

func hintSlug(most int) string {
	return fmt.Sprintf("use 1 to %d letters, digits, _ and -", most)
}

// Shape checks a head as the JSON Schema of the frontmatter does, in plain Go. It gives the same
// verdict; the schema library stays out of programs that only read.
func Shape(instance any) []Fault {
	head, ok := instance.(map[string]any)
	if !ok {
		return []Fault{{Problem: "the head is not a mapping"}}
	}
	var faults []Fault
	for _, key := range slices.Sorted(maps.Keys(head)) {
		if !slices.Contains(headKeys, key) {
			faults = append(faults, Fault{Pointer: pointerTo("", key), Problem: "unknown field " + show(key), Hint: "remove it"})
		}
	}
	for _, key := range headKeys {
		value, given := head[key]
		switch {
		case given:
			faults = append(faults, shapeOf(key, value)...)
		case key != "handoff_id" && key != "references" && key != "tags":
			faults = append(faults, Fault{Pointer: pointerTo("", key), Problem: "required field " + show(key) + " is missing"})
		}
	}
	return faults
}

func shapeOf(key string, value any) []Fault {
	switch key {
	case "references":
		return shapeOfList(key, value, MaxReferences, func(s string) (bool, string) {
			n := utf8.RuneCountInString(s)
			return n >= 1 && n <= MaxReference && !hasControl(s), "use 1 to 1024 characters without line breaks"
		})
	case "tags":
		return shapeOfList(key, value, MaxTags, func(s string) (bool, string) { return IsSlug(s, MaxTag), hintSlug(MaxTag) })
	}
	s, ok := value.(string)
	hint := ""
	switch key {
	case "schema_version":
		ok, hint = ok && s == "1.0", "write '1.0'"
	case "handoff_id":
		ok, hint = ok && IsID(s), hintID
	case "from", "to":
		ok, hint = ok && IsSlug(s, MaxName), hintSlug(MaxName)
	case "topic":
		ok, hint = ok && IsSlug(s, MaxTopic), hintSlug(MaxTopic)
	case "ts_utc":
		ok, hint = ok && IsTime(s), hintTime
	}
	if ok {
		return nil
	}
	return []Fault{{Pointer: pointerTo("", key), Problem: fmt.Sprintf("the value of %s does not fit", key), Hint: hint}}
}

func shapeOfList(key string, value any, most int, fits func(string) (bool, string)) []Fault {
	items, ok := value.([]any)
	if !ok {
		return []Fault{{Pointer: pointerTo("", key), Problem: key + " is not a list", Hint: "write one item a line, each after a dash"}}
	}
	var faults []Fault
	if len(items) > most {
		faults = append(faults, Fault{Pointer: pointerTo("", key), Problem: fmt.Sprintf("%s has %d items, at most %d are allowed", key, len(items), most)})
	}
	for i, item := range items {
		s, isString := item.(string)
		if good, hint := fits(s); !isString || !good {
			faults = append(faults, Fault{Pointer: pointerTo("/"+key, strconv.Itoa(i)), Problem: "the item does not fit", Hint: hint})
		}
	}
	return faults
}

// hasControl mirrors the pattern of references in the schema; Parse refuses more (see forbidden).
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029
	})
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointerTo appends a token to an RFC 6901 pointer.
func pointerTo(parent, token string) string {
	return parent + "/" + pointerEscapes.Replace(token)
}
