package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns v as JSON that is safe for a terminal, on one line or, with an indent, on several, with a final
// newline. Characters that Escape would change become \u escapes, so that a JSON parser returns the same value.
// Invalid UTF-8 becomes U+FFFD. JSON fails only for values that encoding/json cannot encode, never for a string.
func JSON(v any, indent string) (string, error) {
	text, err := Encode(v, indent)
	return EscapeJSON(string(text)), err
}

// Encode returns v as encoding/json does, without escaped HTML, which would be unreadable.
func Encode(v any, indent string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return out.Bytes(), err
}

// EscapeJSON escapes JSON text as JSON does. Its value does not change.
func EscapeJSON(text string) string {
	return rewrite(text, false, func(out []byte, char string, _ fate) []byte {
		if char[0] == '\r' { // it only occurs between values
			return append(out, char...)
		}
		return appendUnicodeEscape(out, char)
	})
}

// JSONLine returns text as JSON on one line of printable ASCII, without a final newline. All other characters, and <, >
// and &, are \u escapes, so that the result cannot open a tag.
func JSONLine(text string) string {
	encoded, _ := json.Marshal(text) // a string never fails
	line := make([]byte, 0, len(encoded))
	for _, r := range string(encoded) {
		if r < 0x7f {
			line = append(line, byte(r))
		} else {
			line = appendUnicodeEscape(line, string(r))
		}
	}
	return string(line)
}

// appendUnicodeEscape appends the JSON escape of one character, or of U+FFFD for an invalid byte.
func appendUnicodeEscape(out []byte, char string) []byte {
	r, _ := utf8.DecodeRuneInString(char)
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
