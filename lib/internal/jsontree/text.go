package jsontree

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The letters of the short escapes, and at the same index the characters that they stand for.
const escapes = `"\/bfnrt`
const escaped = "\"\\/\b\f\n\r\t"

// unquote returns the characters of a valid string literal.
func unquote(literal []byte) string {
	rest := string(literal[1 : len(literal)-1])
	var decoded []byte
	for {
		at := strings.IndexByte(rest, '\\')
		if at < 0 && decoded == nil {
			return rest
		}
		if at < 0 {
			return string(append(decoded, rest...))
		}
		decoded = append(decoded, rest[:at]...)
		decoded, rest = unescapeOne(decoded, rest[at:])
	}
}

// unescapeOne appends the character of the escape at the start of s, or of the two escapes of a surrogate pair. It
// returns the text after it.
func unescapeOne(dst []byte, s string) ([]byte, string) {
	if i := strings.IndexByte(escapes, s[1]); i >= 0 {
		return append(dst, escaped[i]), s[2:]
	}
	r, _ := hexUnit(s)
	s = s[6:]
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), s
	}
	if low, ok := hexUnit(s); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), s[6:]
		}
	}
	// A lone surrogate has no UTF-8. Its three bytes in the style of UTF-8 occur in no valid source.
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f), s
}

// hexUnit parses the UTF-16 code unit of a \uXXXX escape.
func hexUnit(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// AppendQuoted appends text as JSON.stringify quotes it (ECMA-262 QuoteJSONString). The three WTF-8 bytes of a lone
// surrogate become an escape.
func AppendQuoted(dst []byte, text string) []byte {
	if quoted, err := jsontext.AppendQuote(dst, text); err == nil {
		return quoted
	}
	dst = append(dst, '"')
	for text != "" {
		if loneSurrogate(text) {
			dst = fmt.Appendf(dst, `\u%04x`, rune(text[0]&0xf)<<12|rune(text[1]&0x3f)<<6|rune(text[2]&0x3f))
			text = text[3:]
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		char, _ := jsontext.AppendQuote(nil, text[:size])
		dst = append(dst, char[1:len(char)-1]...)
		text = text[size:]
	}
	return append(dst, '"')
}

// loneSurrogate reports whether text begins with the WTF-8 bytes of a surrogate.
func loneSurrogate(text string) bool {
	return len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0
}

// Printable returns text with each lone surrogate replaced by U+FFFD: valid UTF-8 with the same number of characters.
func Printable(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if loneSurrogate(text[i:]) {
			b.WriteRune(utf8.RuneError)
			i += 2
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
