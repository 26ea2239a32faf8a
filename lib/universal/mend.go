package universal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/fields"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// isTraceID reports whether s is a UUID of version 4 (RFC 9562 section 5.4) in lower case.
func isTraceID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s && id.Version() == 4 && id.Variant() == uuid.RFC4122
}

// applyDefaults is the first attempt: defaults, conversions, cuts. id is the trace_id if one is needed.
func applyDefaults(e *editor, now time.Time, id string) {
	wrap(e)
	everywhere(e.root, func(f fields.Field, pointer string) { rename(e, f, pointer) })
	if e.root.At("/handoff") == nil {
		return // the root may be the record itself: remove nothing
	}
	dropUnknown(e, "")
	dropUnknown(e, "/handoff")
	dropNulls(e)
	// Defaults come before conversions, which keep valid values.
	for _, f := range Table().Fields {
		if value, err := jsontree.Parse(f.Default); err == nil {
			if value.Str() == "now" {
				value.Text = now.UTC().Format(time.RFC3339)
			}
			fill(e, f.Path, value.Unplaced())
		}
	}
	everywhere(e.root, func(f fields.Field, pointer string) { convert(e, f, pointer) })
	complete(e)
	shortenChain(e)
	repairHash(e)
	repairSize(e)
	repairTrace(e, id)
}

// dropUnknown removes the keys that a closed object does not allow.
func dropUnknown(e *editor, parent string) {
	e.cutMembers(parent, "unknown key", func(name string) bool { return isField(fault.Pointer(parent, name)) })
}

// dropNulls removes optional fields that are null.
func dropNulls(e *editor) {
	everywhere(e.root, func(f fields.Field, pointer string) {
		if !f.Need && e.root.At(pointer).Is(jsontree.Null) {
			e.remove(pointer, "null counts as absent")
		}
	})
}

// fill sets a required field to its default if it is absent or null.
func fill(e *editor, pointer string, value any) {
	if v := e.root.At(pointer); v == nil || v.Kind == jsontree.Null {
		e.set(pointer, value, "default for a missing field")
	}
}

// cutTo returns at most max characters of a text. If it cut the text, the last three are dots.
func cutTo(text string, max int) string {
	if len(text) <= max {
		return text
	}
	runes := []rune(text)
	if len(runes) <= max {
		return text
	}
	return string(runes[:max-3]) + "..."
}

// shortenChain removes an empty chain, and cuts the middle of a chain that is too long. Entries equal to the
// target stay, so that a circle remains visible.
func shortenChain(e *editor) {
	hops := e.root.At(chainPath)
	if !hops.Is(jsontree.Array) {
		return
	}
	switch n := len(hops.Items); {
	case n == 0:
		e.remove(chainPath, "without a chain, the source is the only hop")
	case n > longestChain:
		// Both ends matter most: where the work began, and who had it last.
		head, tail := longestChain/2, n-longestChain/2
		target := textAt(e.root, "/handoff/target/skill")
		isTarget := func(hop *jsontree.Value) bool {
			return hop.Is(jsontree.String) && hop.Text == target
		}
		kept := slices.Concat(hops.Items[:head], hops.Items[tail:])
		if i := slices.IndexFunc(hops.Items[head:tail], isTarget); i >= 0 {
			kept[head-1] = hops.Items[head+i]
		}
		e.swap(chainPath, jsontree.NewArray(kept...).Clone(),
			fmt.Sprintf("the middle of the chain cut to %d hops", longestChain))
	}
}

// lowered reports whether a text is valid in lower case without spaces, and writes it so.
func lowered(e *editor, pointer string, valid func(string) bool) bool {
	given := textAt(e.root, pointer)
	lower := strings.ToLower(strings.TrimSpace(given))
	if lower != given && valid(lower) {
		e.set(pointer, lower, "written in lower case")
	}
	return valid(lower)
}

// repairHash replaces a malformed hash and keeps a well-formed one.
func repairHash(e *editor) {
	switch {
	case e.root.At(hashPath) == nil:
	case lowered(e, hashPath, form.IsID):
		e.genuine = textAt(e.root, hashPath) == e.before
	default:
		e.genuine = true
		e.swap(hashPath, payloadHash(e.root), "computed from the payload")
	}
}

// repairTrace adds a trace_id, or writes an existing one in lower case.
func repairTrace(e *editor, id string) {
	const pointer = "/handoff/trace_id"
	if !lowered(e, pointer, isTraceID) {
		e.swap(pointer, id, "a new trace_id")
	}
}

// wholeNumber returns the integer in a value.
func wholeNumber(v *jsontree.Value) (int, error) { return strconv.Atoi(v.String()) }

// recount sets token_count to the estimate for the document as it will be printed.
func recount(e *editor) {
	meta := e.root.At("/handoff/meta")
	if !meta.Is(jsontree.Object) {
		return
	}
	given := meta.Get("token_count")
	n := 0
	for range 3 { // the count is part of the document: later rounds settle its number of digits
		meta.Set("token_count", n)
		n = min(EstimateTokens(e.root.String()), TokenBudget)
	}
	if given == nil {
		meta.Delete("token_count")
	} else {
		meta.Set("token_count", given)
	}
	if given == nil || given.String() != strconv.Itoa(n) {
		e.number(countPath, n, "the estimate for the repaired document")
	}
}

// number sets a computed number, and keeps a value that was not a number.
func (e *editor) number(pointer string, n int, why string) {
	v := e.root.At(pointer)
	if v != nil && v.Kind != jsontree.Number {
		if _, err := strconv.Atoi(v.Text); err != nil {
			e.keep(pointer)
		}
	}
	e.set(pointer, n, why)
}

// repairSize replaces a payload size that is not a number.
func repairSize(e *editor) {
	v := e.root.At(sizePath)
	if v == nil {
		return
	}
	if n, err := wholeNumber(v); v.Kind != jsontree.Number || err != nil || n < 0 {
		e.measure("the size of the payload")
	}
}
