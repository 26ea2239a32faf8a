package document

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
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

// CheckTime checks a ts_utc: its shape always, and at write also its bounds, from 1970 to a day after
// now. Stored documents are checked without bounds, so that what was once accepted stays readable.
func CheckTime(ts string, now time.Time, atWrite bool) *Fault {
	const pointer = "/ts_utc"
	t, ok := form.Instant(ts)
	switch {
	case !ok:
		return &Fault{Pointer: pointer, Problem: form.Show(ts) + " is no instant of the calendar in UTC", Hint: hintTime}
	case !atWrite:
	case t.Before(time.Unix(0, 0)):
		return &Fault{Pointer: pointer, Problem: form.Show(ts) + " lies before 1970", Hint: "correct the year"}
	case t.After(now.Add(maxAhead)):
		return &Fault{Pointer: pointer, Problem: fmt.Sprintf("%s lies more than 24 h after now (%s)",
			form.Show(ts), now.UTC().Format(time.RFC3339)), Hint: "correct it, or the clock of this machine"}
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
			faults = append(faults, Fault{Pointer: pointerTo("", key), Problem: "unknown field " + form.Show(key), Hint: "remove it"})
		}
	}
	for _, key := range headKeys {
		value, given := head[key]
		switch {
		case given:
			faults = append(faults, shapeOf(key, value)...)
		case key != "handoff_id" && key != "references" && key != "tags":
			faults = append(faults, Fault{Pointer: pointerTo("", key), Problem: "required field " + form.Show(key) + " is missing"})
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
		return shapeOfList(key, value, MaxTags, func(s string) (bool, string) { return form.IsSlug(s, MaxTag), hintSlug(MaxTag) })
	}
	s, ok := value.(string)
	hint := ""
	switch key {
	case "schema_version":
		ok, hint = ok && s == "1.0", "write '1.0'"
	case "handoff_id":
		ok, hint = ok && form.IsID(s), hintID
	case "from", "to":
		ok, hint = ok && form.IsSlug(s, MaxName), hintSlug(MaxName)
	case "topic":
		ok, hint = ok && form.IsSlug(s, MaxTopic), hintSlug(MaxTopic)
	case "ts_utc":
		ok, hint = ok && form.IsInstant(s), hintTime
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
