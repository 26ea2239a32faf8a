package jsontree

import (
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Get returns the member of an object, nil when there is none or v is no object.
func (v *Value) Get(name string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value
		}
	}
	return nil
}

// Set replaces the member's value, or adds the member at the end.
func (v *Value) Set(name string, value *Value) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			v.Members[i].Value = value
			return
		}
	}
	v.Members = append(v.Members, Member{Name: name, Value: value})
}

// Delete removes the member and reports whether it was there.
func (v *Value) Delete(name string) bool {
	for i := range v.Members {
		if v.Members[i].Name == name {
			v.Members = append(v.Members[:i:i], v.Members[i+1:]...)
			return true
		}
	}
	return false
}

// At returns the value at an RFC 6901 pointer, nil when there is none.
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
		i, ok := arrayIndex(token)
		if !ok || i >= uint64(len(v.Items)) {
			return nil
		}
		v = v.Items[i]
	}
	return v
}

// Clone returns a copy that shares nothing with v.
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
		c.Members = append(c.Members, Member{m.Name, m.Value.Clone(), m.Start, m.End})
	}
	return &c
}

// NewString returns a string value.
func NewString(text string) *Value { return &Value{Kind: String, Text: text} }

// NewInt returns a number value.
func NewInt(n int) *Value { return &Value{Kind: Number, Text: strconv.Itoa(n)} }

// NewBool returns a boolean value.
func NewBool(b bool) *Value { return &Value{Kind: Bool, Text: strconv.FormatBool(b)} }

// NewArray returns an array of the items.
func NewArray(items ...*Value) *Value { return &Value{Kind: Array, Items: items} }

// NewObject returns an object of the members.
func NewObject(members ...Member) *Value { return &Value{Kind: Object, Members: members} }
