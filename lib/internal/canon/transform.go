package canon

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
)

// maxSafe is the largest integer below which doubles skip none: 2^53 - 1 (RFC 7493 section 2.2).
const maxSafe = 1<<53 - 1

// Transform returns the canonical form of any JSON text (RFC 8785). It refuses what has none, or what
// would share one with another text: invalid UTF-8, lone surrogates, duplicate keys, numbers beyond
// double precision, and integers beyond 2^53, which JCS would round. The result may be text itself.
func Transform(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errUTF8
	}
	if IsCanonical(text) {
		return slices.Clip(text), nil
	}
	v, err := jsontree.Scan(text)
	if err != nil {
		return nil, fmt.Errorf("no canonical form: %w", err)
	}
	return appendValue(make([]byte, 0, len(text)), v)
}

func appendValue(b []byte, v *jsontree.Value) (_ []byte, err error) {
	switch v.Kind {
	case jsontree.String:
		return appendText(b, v.Text)
	case jsontree.Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendValue(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case jsontree.Object:
		return appendObject(b, v.Members)
	case jsontree.Number:
		if err := safe(v.Text); err != nil {
			return nil, err
		}
	}
	return v.Append(b), nil // numbers as ECMAScript writes them (section 3.2.2.3), true, false and null
}

// appendObject appends members in the order of the UTF-16 code units of their keys (section 3.2.3).
func appendObject(b []byte, members []jsontree.Member) (_ []byte, err error) {
	members = slices.SortedFunc(slices.Values(members), func(a, b jsontree.Member) int { return compareUTF16(a.Name, b.Name) })
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendText(b, m.Name); err != nil {
			return nil, err
		}
		if b, err = appendValue(append(b, ':'), m.Value); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendText appends a string, but for one with half of a surrogate pair, which the tree keeps as what
// is no UTF-8.
func appendText(b []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, errUTF8
	}
	return jsontree.AppendQuoted(b, s), nil
}

// compareUTF16 differs from the order of bytes only where a character beyond U+FFFF meets one from U+E000 on.
func compareUTF16(a, b string) int {
	if strings.IndexFunc(a+b, func(r rune) bool { return r > 0xffff }) < 0 {
		return cmp.Compare(a, b)
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// safe refuses a number that a double does not keep, as far as integers go: one with a fraction or an
// exponent is a double by intent, as long as it is finite.
func safe(number string) error {
	f, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return fmt.Errorf("no canonical form: the number %.40s is too large", number)
	case math.Abs(f) > maxSafe && !strings.ContainsAny(number, ".eE"):
		return fmt.Errorf("the integer %.40s is beyond 2^53 and would be rounded; write it as a string", number)
	}
	return nil
}
