package canon

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxSafe is the largest integer below which doubles skip none: 2^53 - 1 (RFC 7493 section 2.2).
const maxSafe = 1<<53 - 1

// Safe reports whether a JSON number keeps its value in a double, as far as integers go: a number with
// a fraction or an exponent is a double by intent, as long as it is finite.
func Safe(n json.Number) bool {
	s := n.String()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return false
	}
	if strings.ContainsAny(s, ".eE") {
		return true
	}
	return math.Abs(f) <= maxSafe
}
