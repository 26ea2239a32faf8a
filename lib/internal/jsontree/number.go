package jsontree

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// exact returns an error for a number that JavaScript would change.
func (v *Value) exact() error {
	problem := unsafe(v.Text)
	if problem == "" {
		return nil
	}
	return refuse(fault.Fault{Line: v.Line, Column: v.Column,
		Problem: fmt.Sprintf("the number %s %s", excerpt(v.Text), problem),
		Hint:    "write it as a string, or as a number that a double holds"})
}

// excerpt shortens a number for a message.
func excerpt(text string) string {
	if len(text) > 40 {
		return text[:36] + "…"
	}
	return text
}

// unsafe returns why JavaScript would change a number, "" if it would not.
func unsafe(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	switch shown := string(appendNumber(nil, f)); {
	case err != nil:
		return "is too large"
	case f == 0 && strings.ContainsAny(digits, "123456789"):
		return "is too small to be told from 0"
	case math.Abs(f) >= 1<<53 && !isEqual(text, shown):
		return "lies beyond the safe integers and would be read as " + shown
	}
	return ""
}

// isEqual reports whether two texts are the same number. A long one is no printed double.
func isEqual(text, shown string) bool {
	a, isNumber := new(big.Rat).SetString(text[:min(len(text), 400)])
	b, _ := new(big.Rat).SetString(shown)
	return isNumber && len(text) <= 400 && a.Cmp(b) == 0
}

// appendNumber appends a finite number as Number::toString (ECMA-262, 6.1.6.1.20).
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // -0 too, which the library prints as -0
	}
	return append(dst, jsontext.Float(f).String()...)
}
