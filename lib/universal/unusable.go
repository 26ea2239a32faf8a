package universal

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// cutUnusable takes away what the schema still refuses and the document can do without, entries of lists and
// optional fields, so that one of them does not cost all that lies beside it. It reports whether there
// was any.
func (e *editor) cutUnusable(r Report) bool {
	if r.Stage != StageSchema {
		return false
	}
	const why = "it cannot be used"
	entries, lists, done := map[string]bool{}, map[string]bool{}, len(e.patch)
	for _, f := range r.Faults {
		switch at, isEntry := spare(f.Pointer); {
		case isEntry:
			entries[at], lists[above(at)] = true, true
		case at != "":
			e.cut(at, why)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(lists)) {
		rest := jsontree.NewArray()
		for i, item := range e.root.At(at).Items {
			if !entries[at+"/"+strconv.Itoa(i)] {
				rest.Items = append(rest.Items, item)
			}
		}
		e.swap(at, rest, why)
	}
	return len(e.patch) > done
}

// spare returns the smallest part of the document that holds the place of a fault and can be done without, "" for none, and
// whether it is an entry of a list. What limits trust is none of them.
func spare(pointer string) (at string, isEntry bool) {
	if strings.HasPrefix(pointer, "/handoff/meta/") || pointer == "/handoff/expires_at" {
		return "", false
	}
	for at = pointer; at != ""; at = above(at) {
		f, known := fieldAt(at)
		if _, err := strconv.Atoi(at[len(above(at))+1:]); err == nil {
			f, known = fieldAt(above(at))
			isEntry, known = true, known && f.Path == above(at) && f.IsList()
		}
		if known && !f.Need {
			return at, isEntry
		}
		isEntry = false
	}
	return "", false
}
