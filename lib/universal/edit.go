package universal

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Change is one operation of a JSON Patch (RFC 6902). Applied in order to the document, the changes
// of a repair give the repaired one.
type Change struct {
	Op    string          `json:"op"`              // add, remove or replace
	Path  string          `json:"path"`            // RFC 6901 pointer
	Value json.RawMessage `json:"value,omitempty"` // add and replace
	Why   string          `json:"why,omitempty"`   // the reason, a member that RFC 6902 section 4 tells readers to ignore
}

// An editor changes a copy of a record and keeps account of what it did.
type editor struct {
	root    *jsontree.Value
	patch   []Change
	kept    []jsontree.Member // what was cut, by pointer
	isKept  map[string]bool
	session *jsontree.Value // payload.session, once it was moved or dropped
	genuine bool            // payload_hash was right in the beginning: it may be made right again
	before  string          // the hash of the payload in the beginning
}

// newEditor begins with a copy. It remembers whether the hash was right: only then a repair may make
// it right again.
func newEditor(root *jsontree.Value) *editor {
	before := payloadHash(root)
	return &editor{
		root:    root.Clone(),
		isKept:  map[string]bool{},
		genuine: before != "" && textAt(root, hashPath) == before,
		before:  before,
	}
}

// snapshot returns a state that restore goes back to.
func (e *editor) snapshot() editor {
	c := *e
	c.root, c.isKept = e.root.Clone(), maps.Clone(e.isKept)
	return c
}

// parent splits a pointer into the value that holds the place and the last name, unescaped.
func (e *editor) parent(pointer string) (*jsontree.Value, string) {
	i := strings.LastIndexByte(pointer, '/')
	return e.root.At(pointer[:i]), fault.PointerName(pointer[i+1:])
}

// set gives a place its value; it does nothing where there is no object or item to hold it.
func (e *editor) set(pointer string, value *jsontree.Value, why string) {
	holder, name := e.parent(pointer)
	if holder == nil {
		return
	}
	op := "replace"
	switch holder.Kind {
	case jsontree.Object:
		if holder.Get(name) == nil {
			op = "add"
		}
		holder.Set(name, value)
	case jsontree.Array:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(holder.Items) {
			return
		}
		holder.Items[i] = value
	default:
		return
	}
	e.patch = append(e.patch, Change{Op: op, Path: pointer, Value: value.Append(nil), Why: why})
}

// add appends an item to a list of an object, both of which are made if need be.
func (e *editor) add(holder, list string, item *jsontree.Value, why string) {
	at := holder + "/" + list
	switch all := e.root.At(at); {
	case e.root.At(holder) == nil:
		e.set(holder, jsontree.NewObject(member(list, jsontree.NewArray(item))), why)
	case !all.Is(jsontree.Array):
		e.set(at, jsontree.NewArray(item), why)
	default:
		all.Items = append(all.Items, item)
		e.patch = append(e.patch, Change{Op: "add", Path: at + "/" + strconv.Itoa(len(all.Items)-1), Value: item.Append(nil), Why: why})
	}
}

// remove takes a member away, if it is there.
func (e *editor) remove(pointer, why string) {
	if holder, name := e.parent(pointer); holder != nil && holder.Delete(name) {
		e.patch = append(e.patch, Change{Op: "remove", Path: pointer, Why: why})
	}
}

// keep saves what stands at the place, so that cutting it loses nothing. The first value of a place is
// the one kept.
func (e *editor) keep(pointer string) {
	if v := e.root.At(pointer); v != nil && v.Kind != jsontree.Null && !e.isKept[pointer] {
		e.isKept[pointer] = true
		e.kept = append(e.kept, jsontree.Member{Name: pointer, Value: v.Clone()})
	}
}

// cut keeps a member and removes it.
func (e *editor) cut(pointer, why string) {
	e.keep(pointer)
	e.remove(pointer, why)
}

// cutMembers keeps and removes the members that are not wanted, in one pass: a document may have very
// many of them.
func (e *editor) cutMembers(pointer, why string, wanted func(name string) bool) {
	holder := e.root.At(pointer)
	if holder == nil {
		return
	}
	var rest []jsontree.Member
	for _, m := range holder.Members {
		at := fault.Pointer(pointer, m.Name)
		if wanted(m.Name) {
			rest = append(rest, m)
			continue
		}
		if !e.isKept[at] {
			e.isKept[at] = true
			e.kept = append(e.kept, jsontree.Member{Name: at, Value: m.Value})
		}
		e.patch = append(e.patch, Change{Op: "remove", Path: at, Why: why})
	}
	holder.Members = rest
}

// swap keeps a value and puts another in its place.
func (e *editor) swap(pointer string, value *jsontree.Value, why string) {
	e.keep(pointer)
	e.set(pointer, value, why)
}

// refresh makes payload_hash and payload_size_bytes fit a payload that was changed, where they are
// given. A hash that was wrong from the beginning stays wrong: a repair must not vouch for a payload
// that someone else changed.
func (e *editor) refresh() {
	hash := payloadHash(e.root)
	if hash == e.before {
		return
	}
	if e.genuine && textAt(e.root, hashPath) != hash {
		e.set(hashPath, jsontree.NewString(hash), "the payload was changed by this repair")
	}
	e.measure("the payload was changed by this repair")
}

// measure makes payload_size_bytes fit the payload, where it is given.
func (e *editor) measure(why string) {
	payload := e.root.At("/handoff/payload")
	if given := e.root.At(sizePath); given != nil && payload != nil {
		if size := len(payload.Append(nil)); given.String() != strconv.Itoa(size) {
			e.number(sizePath, size, why)
		}
	}
}
