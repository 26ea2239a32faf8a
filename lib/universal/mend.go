package universal

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

const summaryMax = 500 // characters of context.summary

// isTraceID reports whether s is a UUID of version 4 (RFC 9562 section 5.4) in lower case.
func isTraceID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[14] == '4' && s[18] == '-' && s[23] == '-' &&
		strings.IndexByte("89ab", s[19]) >= 0 && form.IsHex(s[:8]+s[9:13]+s[15:18]+s[20:23]+s[24:])
}

// mend is the first attempt: defaults, conversions, cuts to length. newID is called when a trace_id is needed.
func mend(e *editor, now time.Time, newID func() string) {
	wrap(e)
	for _, f := range fields {
		f.each(e.root, func(pointer string) { rename(e, f, pointer) })
	}
	if e.root.At("/handoff") == nil {
		return // whatever stands at the root may be the record itself: nothing is removed
	}
	dropUnknown(e, "")
	dropUnknown(e, "/handoff")
	dropNulls(e)
	// Defaults come before conversions, which leave alone what is right.
	fill(e, "/handoff/version", jsontree.NewString(Version))
	fill(e, "/handoff/schema_type", jsontree.NewString(SchemaType))
	fill(e, "/handoff/timestamp", jsontree.NewString(now.UTC().Format(time.RFC3339)))
	fill(e, "/handoff/meta", jsontree.NewObject())
	fill(e, confidencePath, jsontree.NewString("medium"))
	for _, f := range fields {
		f.each(e.root, func(pointer string) { convert(e, f, pointer) })
	}
	complete(e)
	shortenSummary(e)
	shortenChain(e)
	mendHash(e)
	mendSize(e)
	mendTrace(e, newID)
}

// dropUnknown takes the keys away that the closed objects do not allow.
func dropUnknown(e *editor, parent string) {
	e.cutMembers(parent, "unknown key", func(name string) bool {
		_, known := fieldAt(fault.Pointer(parent, name))
		return known
	})
}

// dropNulls leaves out optional fields that are null.
func dropNulls(e *editor) {
	for _, f := range fields {
		if !f.optional {
			continue
		}
		f.each(e.root, func(pointer string) {
			if e.root.At(pointer).Is(jsontree.Null) {
				e.remove(pointer, "null counts as absent")
			}
		})
	}
}

// holdsNull reports whether dropNulls would leave something out.
func holdsNull(root *jsontree.Value) (found bool) {
	for _, f := range fields {
		if f.optional && !found {
			f.each(root, func(pointer string) { found = found || root.At(pointer).Is(jsontree.Null) })
		}
	}
	return found
}

// fill gives a required field its default when it is absent or null.
func fill(e *editor, pointer string, value *jsontree.Value) {
	if v := e.root.At(pointer); v == nil || v.Kind == jsontree.Null {
		e.set(pointer, value, "default for a missing field")
	}
}

// shortenSummary cuts a summary that the schema finds too long.
func shortenSummary(e *editor) {
	const pointer = "/handoff/context/summary"
	if v := e.root.At(pointer); v.Is(jsontree.String) {
		if short := cutTo(v.Text, summaryMax); short != v.Text {
			e.swap(pointer, jsontree.NewString(short), fmt.Sprintf("cut to %d characters", summaryMax))
		}
	}
}

// cutTo returns at most max characters of the text, the last three of them dots where something was
// cut. A surrogate that stands alone counts as one character.
func cutTo(text string, max int) string {
	if len(text) <= max {
		return text
	}
	runes := []rune(jsontree.Printable(text))
	if len(runes) <= max {
		return text
	}
	return string(runes[:max-3]) + "..."
}
