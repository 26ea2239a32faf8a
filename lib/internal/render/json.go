package render

import (
	"encoding/json"
	"fmt"
	"unicode/utf16"
)

// JSONLine returns v as JSON on one line of printable ASCII, without a newline at its end. All other characters of its strings
// are \u escapes, and invalid UTF-8 becomes U+FFFD, so any JSON parser gives the value back while nothing in it can steer
// a terminal, hide, or open a tag. It fails only for what encoding/json cannot encode, never for a string.
func JSONLine(v any) (string, error) {
	encoded, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	line := make([]byte, 0, len(encoded))
	for _, r := range string(encoded) {
		switch {
		case r < 0x7f:
			line = append(line, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			line = fmt.Appendf(line, `\u%04x\u%04x`, high, low)
		default:
			line = fmt.Appendf(line, `\u%04x`, r)
		}
	}
	return string(line), nil
}
