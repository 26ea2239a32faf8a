package jsontree

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string literal from its opening quote.
func (p *parser) text() (string, error) {
	p.pos++
	start := p.pos
	var decoded []byte // nil as long as the source itself is the text
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			if decoded == nil {
				return p.src[start : p.pos-1], nil
			}
			return string(append(decoded, p.src[start:p.pos-1]...)), nil
		case c == '\\':
			decoded = append(decoded, p.src[start:p.pos]...)
			var err error
			if decoded, err = p.escape(decoded); err != nil {
				return "", err
			}
			start = p.pos
		case c < ' ':
			return "", p.fault("write it as an escape", "control character %q inside a string", c)
		default:
			if c >= 0x80 && !utf8.RuneStart(c) {
				p.wide++
			}
			p.pos++
		}
	}
	return "", p.fault(`close it with "`, "end of text inside a string")
}

const escapes = `"\/bfnrt`
const escaped = "\"\\/\b\f\n\r\t"

// escape reads one escape sequence, or two that make a surrogate pair, and appends what it stands for.
func (p *parser) escape(dst []byte) ([]byte, error) {
	if p.pos+1 < len(p.src) {
		if i := strings.IndexByte(escapes, p.src[p.pos+1]); i >= 0 {
			p.pos += 2
			return append(dst, escaped[i]), nil
		}
	}
	r, ok := hexUnit(p.src[p.pos:])
	if !ok {
		return nil, p.fault(`write a backslash as \\`, "unknown escape in a string")
	}
	p.pos += 6
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), nil
	}
	if low, ok := hexUnit(p.src[p.pos:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			p.pos += 6
			return utf8.AppendRune(dst, pair), nil
		}
	}
	// A lone surrogate has no UTF-8: it is kept in the three bytes that UTF-8 would give it, which no valid source holds.
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f), nil
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
