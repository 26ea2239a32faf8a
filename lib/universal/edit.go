package universal

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// A Change is one operation of a JSON Patch (RFC 6902). The changes of a repair, applied in order, turn the
// document into the repaired one.
type Change struct {
	Op    string          `json:"op"`              // add, remove or replace
	Path  string          `json:"path"`            // RFC 6901 pointer
	Value json.RawMessage `json:"value,omitempty"` // for add and replace
	Why   string          `json:"why,omitempty"`   // the reason; RFC 6902 section 4 lets readers ignore the member
}

// An editor changes a copy of a record and records its changes.
type editor struct {
	root    *jsontree.Value
	patch   []Change
	kept    []jsontree.Member // the removed values, by pointer
	isKept  map[string]bool
	session *jsontree.Value // payload.session, once moved or removed
	genuine bool            // payload_hash was right at first, so it can be updated
	before  string          // the hash of the payload at first
}

// newEditor copies a record. It remembers whether the hash was right: only then can a repair update it.
func newEditor(root *jsontree.Value) *editor {
	before := payloadHash(root)
	return &editor{
		root:    root.Clone(),
		isKept:  map[string]bool{},
		genuine: before != "" && textAt(root, hashPath) == before,
		before:  before,
	}
}

// snapshot returns a state for restore.
func (e *editor) snapshot() editor {
	c := *e
	c.root, c.isKept = e.root.Clone(), maps.Clone(e.isKept)
	return c
}

// parent splits a pointer into the value that contains the place, and the last name, unescaped.
func (e *editor) parent(pointer string) (*jsontree.Value, string) {
	i := strings.LastIndexByte(pointer, '/')
	return e.root.At(pointer[:i]), fault.PointerName(pointer[i+1:])
}

// set sets the value of a place, as jsontree.New makes it. If no object or item can hold it, set does nothing.
func (e *editor) set(pointer string, value any, why string) {
	holder, name := e.parent(pointer)
	if holder == nil {
		return
	}
	op, v := "replace", jsontree.New(value)
	switch holder.Kind {
	case jsontree.Object:
		if holder.Get(name) == nil {
			op = "add"
		}
		holder.Set(name, v)
	case jsontree.Array:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(holder.Items) {
			return
		}
		holder.Items[i] = v
	default:
		return
	}
	e.patch = append(e.patch, Change{Op: op, Path: pointer, Value: v.Append(nil), Why: why})
}

// add appends an item to a list in an object. It creates both if necessary.
func (e *editor) add(holder, list string, item *jsontree.Value, why string) {
	at := holder + "/" + list
	switch all := e.root.At(at); {
	case e.root.At(holder) == nil:
		e.set(holder, jsontree.NewObject(member(list, jsontree.NewArray(item))), why)
	case !all.Is(jsontree.Array):
		e.set(at, jsontree.NewArray(item), why)
	default:
		all.Items = append(all.Items, item)
		e.patch = append(e.patch, Change{Op: "add", Path: at + "/" + strconv.Itoa(len(all.Items)-1),
			Value: item.Append(nil), Why: why})
	}
}

// remove removes a member, if it exists.
func (e *editor) remove(pointer, why string) {
	if holder, name := e.parent(pointer); holder != nil && holder.Delete(name) {
		e.patch = append(e.patch, Change{Op: "remove", Path: pointer, Why: why})
	}
}

// keep saves the value of a place before it is cut. Only the first value of a place is kept.
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

// cutMembers keeps and removes all unwanted members in one pass, since a document can have very many.
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

// swap keeps a value and replaces it.
func (e *editor) swap(pointer string, value any, why string) {
	e.keep(pointer)
	e.set(pointer, value, why)
}

// refresh updates payload_hash and payload_size_bytes, if they exist, after the payload was changed. A hash that
// was wrong at first stays wrong: a repair must not vouch for a payload that someone else changed.
func (e *editor) refresh() {
	hash := payloadHash(e.root)
	if hash == e.before {
		return
	}
	if e.genuine && textAt(e.root, hashPath) != hash {
		e.set(hashPath, hash, "this repair changed the payload")
	}
	e.measure("this repair changed the payload")
}

// measure updates payload_size_bytes, if it exists.
func (e *editor) measure(why string) {
	payload := e.root.At("/handoff/payload")
	if given := e.root.At(sizePath); given != nil && payload != nil {
		if size := len(payload.Append(nil)); given.String() != strconv.Itoa(size) {
			e.number(sizePath, size, why)
		}
	}
}
