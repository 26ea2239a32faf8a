package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns v as JSON that a terminal may show, on one line or, with an indent, on several, the last one
// ended by a newline. What Escape would change is a \u escape, so any JSON parser gives the value back;
// invalid UTF-8 becomes U+FFFD. It fails only for what encoding/json cannot encode, never for a string.
func JSON(v any, indent string) (string, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // which would hide text from a reader
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return EscapeJSON(out.String()), nil
}

// EscapeJSON returns JSON text as JSON does: the same value, with a \u escape for what Escape would change.
func EscapeJSON(text string) string {
	return rewrite(text, false, func(out []byte, char string, _ fate) []byte {
		if char[0] == '\r' { // which stands between values only
			return append(out, char...)
		}
		return appendUnicodeEscape(out, char)
	})
}

// JSONLine returns v as JSON on one line of printable ASCII, without a newline at its end: as JSON,
// but for <, > and & and all that is not ASCII, which are \u escapes, so that nothing in it can open a
// tag.
func JSONLine(v any) (string, error) {
	encoded, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	line := make([]byte, 0, len(encoded))
	for _, r := range string(encoded) {
		if r < 0x7f {
			line = append(line, byte(r))
		} else {
			line = appendUnicodeEscape(line, string(r))
		}
	}
	return string(line), nil
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
