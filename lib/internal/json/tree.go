package json

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Get returns the member of an object, nil if there is none or v is not an object.
func (v *Value) Get(name string) *Value {
	if at := v.index(name); at >= 0 {
		return v.Members[at].Value
	}
	return nil
}

// index returns the index of a member, -1 if there is none.
func (v *Value) index(name string) int {
	if v == nil {
		return -1
	}
	return slices.IndexFunc(v.Members, func(m Member) bool { return m.Name == name })
}

// Set replaces the value of a member, or adds the member at the end. The value is as New makes it.
func (v *Value) Set(name string, value any) {
	if at := v.index(name); at >= 0 {
		v.Members[at].Value = New(value)
		return
	}
	v.Members = append(v.Members, Member{Name: name, Value: New(value)})
}

// Delete removes the member and reports whether it was there.
func (v *Value) Delete(name string) bool {
	at := v.index(name)
	if at >= 0 {
		v.Members = append(v.Members[:at:at], v.Members[at+1:]...)
	}
	return at >= 0
}

// Is reports whether the value is present and of a kind.
func (v *Value) Is(kind Kind) bool { return v != nil && v.Kind == kind }

// Str returns the text of a string, "" for other values.
func (v *Value) Str() string {
	if !v.Is(String) {
		return ""
	}
	return v.Text
}

// All returns the items of an array, nil for other values.
func (v *Value) All() []*Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// At returns the value at an RFC 6901 pointer, nil if there is none.
func (v *Value) At(pointer string) *Value {
	if pointer == "" {
		return v
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		if v == nil {
			return nil
		}
		if v.Kind != Array {
			v = v.Get(fault.PointerName(token))
			continue
		}
		i := arrayIndex(token)
		if i >= uint64(len(v.Items)) {
			return nil
		}
		v = v.Items[i]
	}
	return v
}

// Walk calls visit for v and all values in it, in the order of the text. at is the pointer of a value. in is the
// member that has it, nil for an item.
func (v *Value) Walk(at string, in *Member, visit func(at string, in *Member, v *Value)) {
	if v == nil {
		return
	}
	visit(at, in, v)
	for i, item := range v.Items {
		item.Walk(at+"/"+strconv.Itoa(i), nil, visit)
	}
	for i := range v.Members {
		m := &v.Members[i]
		m.Value.Walk(fault.Pointer(at, m.Name), m, visit)
	}
}

// Clone returns a deep copy of v.
func (v *Value) Clone() *Value {
	if v == nil {
		return nil
	}
	c := *v
	c.Items, c.Members = nil, nil
	for _, item := range v.Items {
		c.Items = append(c.Items, item.Clone())
	}
	for _, m := range v.Members {
		c.Members = append(c.Members, Member{m.Name, m.Value.Clone()})
	}
	return &c
}

// NewString returns a string value.
func NewString(text string) *Value { return &Value{Kind: String, Text: text} }

// New returns the value of a string, an int, a bool or a list of strings, and a *Value as it is. Any other is null.
func New(v any) *Value {
	switch v := v.(type) {
	case *Value:
		return v
	case string:
		return NewString(v)
	case int:
		return &Value{Kind: Number, Text: strconv.Itoa(v)}
	case bool:
		return &Value{Kind: Bool, Text: strconv.FormatBool(v)}
	case []string:
		list := NewArray()
		for _, item := range v {
			list.Items = append(list.Items, NewString(item))
		}
		return list
	}
	return &Value{}
}

// NewArray returns an array of items.
func NewArray(items ...*Value) *Value { return &Value{Kind: Array, Items: items} }

// NewObject returns an object of members.
func NewObject(members ...Member) *Value { return &Value{Kind: Object, Members: members} }
