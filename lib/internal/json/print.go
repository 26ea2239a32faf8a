package json

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Append appends the value as JSON.stringify prints it, without white space.
func (v *Value) Append(dst []byte) []byte {
	switch v.Kind {
	case Bool:
		return append(dst, v.Text...)
	case Number:
		return v.appendNumber(dst)
	case String:
		return AppendQuoted(dst, v.Text)
	case Array:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.Append(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range v.Ordered() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendQuoted(dst, m.Name), ':')
			dst = m.Value.Append(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// Indent returns the value on several lines, with two spaces for each level. Members keep their order, numbers their
// source text.
func (v *Value) Indent() []byte { return v.indent(nil, "\n") }

func (v *Value) indent(dst []byte, eol string) []byte {
	if v.Kind == Number {
		return append(dst, v.Text...)
	}
	if len(v.Items)+len(v.Members) == 0 {
		return v.Append(dst)
	}
	comma := ""
	dst = append(dst, "[{"[v.Kind-Array])
	for _, item := range v.Items {
		dst = item.indent(append(dst, comma+eol+"  "...), eol+"  ")
		comma = ","
	}
	for _, m := range v.Members {
		dst = append(AppendQuoted(append(dst, comma+eol+"  "...), m.Name), ": "...)
		dst = m.Value.indent(dst, eol+"  ")
		comma = ","
	}
	return append(append(dst, eol...), "]}"[v.Kind-Array])
}

// MarshalJSON returns the value as Append prints it.
func (v *Value) MarshalJSON() ([]byte, error) { return v.Append(nil), nil }

// appendNumber appends a number that fits a double, as Parse has checked.
func (v *Value) appendNumber(dst []byte) []byte {
	f, _ := strconv.ParseFloat(v.Text, 64)
	return appendNumber(dst, f)
}

// String returns the value as Append prints it.
func (v *Value) String() string { return string(v.Append(nil)) }

// Ordered returns the members in the order of JavaScript: array indices ascending, then the other keys in source
// order (ECMA-262 OrdinaryOwnPropertyKeys).
func (v *Value) Ordered() []Member {
	if !slices.ContainsFunc(v.Members, func(m Member) bool { return arrayIndex(m.Name) < noIndex }) {
		return v.Members
	}
	all := slices.Clone(v.Members)
	slices.SortStableFunc(all, func(a, b Member) int { return cmp.Compare(arrayIndex(a.Name), arrayIndex(b.Name)) })
	return all
}

const noIndex = 1<<32 - 1

// arrayIndex parses a key that is an array index: 0 … 2^32-2 without leading zeros. It returns noIndex for others.
func arrayIndex(name string) uint64 {
	if n, err := strconv.ParseUint(name, 10, 64); err == nil && n < noIndex && (name == "0" || name[0] > '0') {
		return n
	}
	return noIndex
}

// Plain returns the value as map[string]any, []any, string, json.Number, bool and nil, for a schema. Numbers are
// formatted as Append does, in at most 25 characters.
func (v *Value) Plain() (plain any) {
	d := json.NewDecoder(bytes.NewReader(v.Append(nil)))
	d.UseNumber()
	_ = d.Decode(&plain) // Append prints JSON
	return plain
}

// Encode returns v as encoding/json does, on one line or, with an indent, on several, without a final newline. It
// does not escape HTML, which would be hard to read. It returns nil for a value that cannot be encoded.
func Encode(v any, indent string) []byte {
	text, _ := form.Encode(v, indent)
	return bytes.TrimSuffix(text, []byte("\n"))
}
