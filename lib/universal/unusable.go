package universal

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// cutUnusable removes the list entries and optional fields that the schema still refuses, so that one of them
// does not cost its neighbors. It reports whether there were any.
func (e *editor) cutUnusable(r Report) bool {
	if r.Stage != StageSchema {
		return false
	}
	const why = "it cannot be used"
	entries, lists, done := map[string]bool{}, map[string]bool{}, len(e.patch)
	for _, f := range r.Faults {
		switch at, isEntry := removablePart(f.Pointer); {
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

// removablePart returns the smallest removable part of the document that contains the place of a fault, or "". It
// reports whether the part is a list entry. Fields that limit trust are never removed.
func removablePart(pointer string) (at string, isEntry bool) {
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
