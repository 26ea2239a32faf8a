package json

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
	err := checkNumber(v.Text)
	if err == nil {
		return nil
	}
	return refuse(fault.Fault{Line: v.Line, Column: v.Column, Problem: err.Error(),
		Hint: "write it as a string, or as a number that a double holds"})
}

// checkNumber returns an error for a number that JavaScript would change. One with an exponent is meant to be a
// double. Any other beyond 2^53 must be written as JavaScript prints it: what is printed can be parsed again.
func checkNumber(number string) error {
	f, err := strconv.ParseFloat(number, 64)
	digits, _, isDouble := strings.Cut(strings.ToLower(number), "e")
	switch shown := string(appendNumber(nil, f)); {
	case err != nil:
		return fmt.Errorf("the number %.40s is too large", number)
	case f == 0 && strings.ContainsAny(digits, "123456789"):
		return fmt.Errorf("the number %.40s is too small to be told from 0", number)
	case math.Abs(f) >= 1<<53 && !isDouble && number != shown:
		return fmt.Errorf("the number %.40s lies beyond the safe integers and would be read as %s", number, shown)
	}
	return nil
}

// appendNumber appends a finite number as Number::toString (ECMA-262, 6.1.6.1.20).
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // -0 too, which the library prints as -0
	}
	return append(dst, jsontext.Float(f).String()...)
}
