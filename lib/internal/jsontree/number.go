package jsontree

import (
	"fmt"
	"math"
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
	switch {
	case err != nil:
		return "is too large"
	case f == 0 && strings.Trim(mantissa(text), "0") != "":
		return "is too small to be told from 0"
	case math.Abs(f) < 1<<53:
		return ""
	}
	digits, exponent := decimal(text)
	shown, shownExponent := decimal(string(appendNumber(nil, f)))
	if digits != shown || exponent != shownExponent {
		return "lies beyond the safe integers and would be read as " + string(appendNumber(nil, f))
	}
	return ""
}

// mantissa returns the digits of a number before its exponent, without sign and point.
func mantissa(text string) string {
	text, _, _ = strings.Cut(strings.ToLower(text), "e")
	return strings.NewReplacer("-", "", ".", "").Replace(text)
}

// decimal returns the significant digits d of a number, and the exponent e with which it is 0.d * 10^e. The exponent
// must fit in an int. That holds for finite numbers other than 0.
func decimal(text string) (digits string, exponent int) {
	head, tail, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	whole, _, _ := strings.Cut(head, ".")
	exponent, _ = strconv.Atoi(tail)
	digits = mantissa(text)
	significant := strings.TrimLeft(digits, "0")
	exponent += len(whole) - (len(digits) - len(significant))
	return strings.TrimRight(significant, "0"), exponent
}

// appendNumber appends a finite number as Number::toString (ECMA-262, 6.1.6.1.20).
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // -0 too, which the library prints as -0
	}
	return append(dst, jsontext.Float(f).String()...)
}
