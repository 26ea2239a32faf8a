package jsontree

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSafe is the largest integer that a double represents exactly together with all smaller ones: 2^53 - 1 (RFC 7493
// section 2.2).
const maxSafe = 1<<53 - 1

// Canonicalize returns the canonical form of any JSON text (RFC 8785). It refuses invalid UTF-8, lone surrogates,
// duplicate keys, numbers beyond double precision, and integers beyond 2^53, which JCS would round. The result may be
// text itself.
func Canonicalize(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errUTF8
	}
	if IsCanonical(text) {
		return slices.Clip(text), nil
	}
	v, err := Scan(text)
	if err != nil {
		return nil, fmt.Errorf("no canonical form: %w", err)
	}
	v.Walk("", nil, func(_ string, _ *Member, v *Value) {
		if err == nil && v.Kind == Number {
			err = safe(v.Text)
		}
	})
	if err != nil {
		return nil, err
	}
	return Canonical(text)
}

// safe returns an error for a number that is too large, or an integer that a double does not represent. Finite
// numbers with a fraction or exponent are meant to be doubles.
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
