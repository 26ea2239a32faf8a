package jsontree

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// exact refuses a number that JavaScript would read as another one.
func (v *Value) exact() error {
	problem := unsafe(v.Text)
	if problem == "" {
		return nil
	}
	return refuse(fault.Fault{Line: v.Line, Column: v.Column,
		Problem: fmt.Sprintf("the number %s %s", excerpt(v.Text), problem),
		Hint:    "write it as a string, or as a number that a double holds"})
}

// excerpt shortens a number for a message: it may have as many digits as the text has room for.
func excerpt(text string) string {
	if len(text) > 40 {
		return text[:36] + "…"
	}
	return text
}

// unsafe says why JavaScript would read another number than the one written, "" when it would not.
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

// decimal returns the number's significant digits d and the exponent e for which it is 0.d * 10^e. The
// exponent must fit an int, which holds for every number that is finite and not 0.
func decimal(text string) (digits string, exponent int) {
	head, tail, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	whole, _, _ := strings.Cut(head, ".")
	exponent, _ = strconv.Atoi(tail)
	digits = mantissa(text)
	significant := strings.TrimLeft(digits, "0")
	exponent += len(whole) - (len(digits) - len(significant))
	return strings.TrimRight(significant, "0"), exponent
}

// appendNumber appends a finite number as Number::toString gives it (ECMA-262, 6.1.6.1.20).
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // also for -0, which the library tells apart
	}
	return append(dst, jsontext.Float(f).String()...)
}
