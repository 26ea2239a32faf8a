package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Numbers beyond these limits make exact arithmetic slow, or the library panic: 1e1000001.
const (
	maxDigits   = 400
	maxExponent = 400
)

// unsafeNumbers returns a fault for each number that must not reach the rules, sorted by pointer. It builds
// pointers on the way back, so that only faults cost time.
func unsafeNumbers(value any) (faults []fault.Fault) {
	within := func(token string, item any) {
		for _, f := range unsafeNumbers(item) {
			f.Pointer = fault.Pointer("", token) + f.Pointer
			faults = append(faults, f)
		}
	}
	switch value := value.(type) {
	case json.Number:
		if !bounded(value.String()) {
			faults = append(faults, fault.Fault{
				Problem: fmt.Sprintf("the number %.40s is out of range", value.String()),
				Hint:    "write it as a string, or closer to zero"})
		}
	case []any:
		for i, item := range value {
			within(strconv.Itoa(i), item)
		}
	case map[string]any:
		for key, item := range value { // in random order; sorted afterwards
			within(key, item)
		}
		fault.Sort(faults)
	}
	return faults
}

// bounded checks the text of a number, since computing its value can take long.
func bounded(number string) bool {
	if len(number) > maxDigits {
		return false
	}
	at := strings.IndexAny(number, "eE")
	if at < 0 {
		return true
	}
	exponent, err := strconv.Atoi(number[at+1:])
	return err == nil && exponent <= maxExponent && exponent >= -maxExponent
}
