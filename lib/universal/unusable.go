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
	entries, done := map[string]map[int]bool{}, len(e.patch)
	for _, f := range r.Faults {
		at, of := spare(f.Pointer)
		switch {
		case of != "":
			if entries[of] == nil {
				entries[of] = map[int]bool{}
			}
			i, _ := strconv.Atoi(at[len(of)+1:])
			entries[of][i] = true
		case at != "":
			e.cut(at, why)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(entries)) {
		rest := jsontree.NewArray()
		for i, item := range e.root.At(at).Items {
			if !entries[at][i] {
				rest.Items = append(rest.Items, item)
			}
		}
		e.swap(at, rest, why)
	}
	return len(e.patch) > done
}

// spare returns the smallest part of the document that holds the place of a fault and can be done without,
// and the list if it is an entry of one; "" for none. What limits trust is none of them.
func spare(pointer string) (at, of string) {
	if strings.HasPrefix(pointer, "/handoff/meta/") || pointer == "/handoff/expires_at" {
		return "", ""
	}
	for at = pointer; at != ""; {
		above, last := at[:strings.LastIndexByte(at, '/')], at[strings.LastIndexByte(at, '/')+1:]
		if _, err := strconv.Atoi(last); err == nil {
			if f, known := fieldAt(above); known && !f.Need && f.Path == above && (f.Type == "list" || f.Type == "texts") {
				return at, above
			}
		} else if f, known := fieldAt(at); known && !f.Need {
			return at, ""
		}
		at = above
	}
	return "", ""
}
