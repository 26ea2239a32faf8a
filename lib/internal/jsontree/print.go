package jsontree

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
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
	type indexed struct {
		index uint64
		Member
	}
	var first []indexed
	var rest []Member
	for i, m := range v.Members {
		index, ok := arrayIndex(m.Name)
		if ok && first == nil {
			rest = append(rest, v.Members[:i]...)
		}
		switch {
		case ok:
			first = append(first, indexed{index, m})
		case first != nil:
			rest = append(rest, m)
		}
	}
	if first == nil {
		return v.Members
	}
	slices.SortFunc(first, func(a, b indexed) int { return cmp.Compare(a.index, b.index) })
	all := make([]Member, 0, len(v.Members))
	for _, m := range first {
		all = append(all, m.Member)
	}
	return append(all, rest...)
}

// arrayIndex parses a key that is an array index: 0 … 2^32-2 without leading zeros.
func arrayIndex(name string) (uint64, bool) {
	if name == "" || len(name) > 10 || name[0] < '0' || name[0] > '9' || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	n, err := strconv.ParseUint(name, 10, 64)
	return n, err == nil && n < 1<<32-1
}

// Plain returns the value as map[string]any, []any, string, json.Number, bool and nil, for a schema. Numbers are
// formatted as Append does, in at most 25 characters. Lone surrogates become U+FFFD.
func (v *Value) Plain() any {
	switch v.Kind {
	case Bool:
		return v.Text == "true"
	case Number:
		return json.Number(v.appendNumber(nil))
	case String:
		return Printable(v.Text)
	case Array:
		items := make([]any, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.Plain()
		}
		return items
	case Object:
		members := make(map[string]any, len(v.Members))
		for _, m := range v.Members {
			members[Printable(m.Name)] = m.Value.Plain()
		}
		return members
	}
	return nil
}

// Encode returns v as encoding/json does, on one line or, with an indent, on several, without a final newline. It
// does not escape HTML, which would be hard to read. It returns nil for a value that cannot be encoded.
func Encode(v any, indent string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if enc.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
