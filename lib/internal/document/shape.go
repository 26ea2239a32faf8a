package document

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// maxAhead is how far ts_utc can be ahead of the clock when a document is written.
const maxAhead = 24 * time.Hour

// CheckTime checks the form of a ts_utc that is written, and its bounds, from 1970 to 24 h after now. Stored documents
// are checked without bounds, so that accepted documents stay readable.
func CheckTime(ts string, now time.Time) *Fault {
	const pointer = "/ts_utc"
	t, ok := form.Instant(ts)
	switch {
	case !ok:
		return &Fault{Pointer: pointer, Problem: fault.Quote(ts) + " is not an instant of the calendar in UTC",
			Hint: hintTime}
	case t.Before(time.Unix(0, 0)):
		return &Fault{Pointer: pointer, Problem: fault.Quote(ts) + " is before 1970", Hint: "correct the year"}
	case t.After(now.Add(maxAhead)):
		return &Fault{Pointer: pointer, Problem: fmt.Sprintf("%s is more than 24 h ahead of this clock (%s)",
			fault.Quote(ts), now.UTC().Format(time.RFC3339)), Hint: "correct it, or the clock of this machine"}
	}
	return nil
}

const hintTime = "write it like 2026-05-07T12:00:00Z, with upper-case T and Z and at most 9 fraction digits"

// Shape checks frontmatter in plain Go. It accepts exactly what the JSON Schema of the frontmatter accepts. Programs
// that only read need no schema library.
func Shape(instance any) []Fault {
	head, ok := instance.(map[string]any)
	if !ok {
		return []Fault{{Problem: "the head is not a mapping"}}
	}
	var faults []Fault
	for _, key := range slices.Sorted(maps.Keys(head)) {
		if fieldOf(key) == nil {
			faults = append(faults, Fault{Pointer: fault.Pointer("", key), Problem: "unknown field " + fault.Quote(key),
				Hint: "remove it"})
		}
	}
	for _, f := range fields {
		value, given := head[f.key]
		switch {
		case given && f.list != nil:
			faults = append(faults, f.checkList(value)...)
		case given:
			faults = append(faults, f.check("/"+f.key, value)...)
		case !given && mustHave(f):
			faults = append(faults, Fault{Pointer: "/" + f.key,
				Problem: "required field " + fault.Quote(f.key) + " is missing", Hint: f.shape.hint})
		}
	}
	return faults
}

// check checks a text, or an item of a list.
func (f field) check(pointer string, value any) []Fault {
	switch s, ok := value.(string); {
	case !ok:
		return []Fault{{Pointer: pointer, Problem: "the value is not a text", Hint: f.shape.hint}}
	case !f.shape.fits(s):
		return []Fault{{Pointer: pointer, Problem: fault.Quote(s) + " is not " + f.shape.what, Hint: f.shape.hint}}
	}
	return nil
}

func (f field) checkList(value any) (faults []Fault) {
	items, ok := value.([]any)
	if !ok {
		return []Fault{{Pointer: "/" + f.key, Problem: "the value is not a list",
			Hint: "write one item a line, each after a dash"}}
	}
	if len(items) > f.most {
		faults = append(faults, Fault{Pointer: "/" + f.key,
			Problem: fmt.Sprintf("the list has %d items, at most %d are allowed", len(items), f.most)})
	}
	for i, item := range items {
		faults = append(faults, f.check(fault.Pointer("/"+f.key, strconv.Itoa(i)), item)...)
	}
	return faults
}

// hasControl matches the pattern of references in the schema. Parse refuses more characters (form.IsHidden).
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029
	})
}
