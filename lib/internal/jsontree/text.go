package jsontree

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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

// unescapeOne appends what the escape stands for that s begins with, or two that make a surrogate pair, and returns what
// follows.
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
	// A lone surrogate has no UTF-8: it is kept in the three bytes that UTF-8 would give it, which no valid source holds.
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f), s
}

// hexUnit reads the UTF-16 code unit of a \uXXXX escape.
func hexUnit(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends the text as JSON.stringify quotes it (ECMA-262 QuoteJSONString). Three WTF-8 bytes of a lone
// surrogate become its escape.
func AppendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	plain := 0 // start of the bytes that go as they are
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && (c != 0xed || !loneSurrogate(text[i:])) {
			continue
		}
		dst = append(dst, text[plain:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = appendControl(dst, c)
		default:
			dst = appendSurrogate(dst, text[i+1], text[i+2])
			i += 2
		}
		plain = i + 1
	}
	return append(append(dst, text[plain:]...), '"')
}

// appendSurrogate appends the escape of a lone surrogate with these two WTF-8 bytes after the first.
func appendSurrogate(dst []byte, second, third byte) []byte {
	return append(dst, '\\', 'u', 'd', hexDigits[second>>2&0xf], hexDigits[second&3<<2|third>>4&3], hexDigits[third&0xf])
}

func appendControl(dst []byte, c byte) []byte {
	if i := strings.IndexByte(escaped, c); i >= 0 {
		return append(dst, '\\', escapes[i])
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// loneSurrogate reports whether the text begins with the WTF-8 bytes of a surrogate.
func loneSurrogate(text string) bool {
	return len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0
}

// Printable returns the text with each lone surrogate replaced by U+FFFD, so that it is valid UTF-8 with the same number
// of characters.
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
