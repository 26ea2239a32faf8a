package secrets

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/render"
)

// suspect holds the bytes that begin an escape or a character that cannot be seen.
var suspect = [256]bool{
	'%': true, '\\': true, '&': true, '=': true,
	0x00: true, 0x01: true, 0x02: true, 0x03: true, 0x04: true, 0x05: true, 0x06: true, 0x07: true, 0x08: true, 0x0b: true, 0x0c: true,
	0x0e: true, 0x0f: true, 0x10: true, 0x11: true, 0x12: true, 0x13: true, 0x14: true, 0x15: true, 0x16: true, 0x17: true, 0x18: true,
	0x19: true, 0x1a: true, 0x1b: true, 0x1c: true, 0x1d: true, 0x1e: true, 0x1f: true, 0x7f: true,
	0xc2: true, 0xcd: true, 0xd8: true, 0xe1: true, 0xe2: true, 0xe3: true, 0xee: true, 0xef: true, 0xf0: true, 0xf3: true,
}

// telling says whether text has an escape, or a character that cannot be seen, behind which the rules
// find nothing: \" and the like, of which JSON inside JSON is full, they know.
func telling(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case !suspect[c]:
		case c == '\\':
			for i+1 < len(text) && text[i+1] == '\\' {
				i++
			}
			if i+1 < len(text) && strings.IndexByte("ux0e\r\n"+marks, text[i+1]) >= 0 {
				return true
			}
		default:
			if _, n := unescape(text[i:]); n > 0 {
				return true
			}
		}
	}
	return false
}

// marks are what credentials and the names before them have beside letters and digits.
const marks = "_-./~+=:$!@"

// unescape returns what the escape at the beginning of s stands for and its length, 0 if there is none. What
// cannot be seen stands for nothing.
func unescape(s string) (plain string, n int) {
	switch s[0] {
	case '%':
		return percent(s)
	case '\\':
		return backslash(s)
	case '&':
		return entity(s)
	case '=':
		return "", continued(s)
	case '\x1b':
		return "", sequence(s)
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\u009b':
		return "", n + parameters(s[n:])
	case '\uff01' <= r && r <= '\uff5e': // fullwidth forms of ASCII
		return string(r - '\uff01' + '!'), n
	case r == utf8.RuneError, !render.Hidden(r):
		return "", 0
	}
	return "", n
}

// percent undoes %22 (RFC 3986).
func percent(s string) (string, int) {
	var raw []byte
	for n := 0; n+2 < len(s) && s[n] == '%' && len(raw) < utf8.UTFMax; n += 3 {
		c, err := strconv.ParseUint(s[n+1:n+3], 16, 8)
		if err != nil {
			break
		}
		raw = append(raw, byte(c))
		if c < utf8.RuneSelf {
			break
		}
	}
	r, n := utf8.DecodeRune(raw)
	return character(r, 3*n)
}

// backslash undoes the escapes of JSON, of the languages of C's family, of shells and of Markdown, but
// for those of white space, which the rules know.
func backslash(s string) (string, int) {
	if len(s) < 2 {
		return "", 0
	}
	switch c := s[1]; {
	case c == 'u' && len(s) > 2 && s[2] == '{':
		if end := strings.IndexByte(s[:min(len(s), 10)], '}'); end > 0 {
			return numeric(s[3:end], 16, end+1)
		}
	case c == 'u' && len(s) >= 6:
		return numeric(s[2:6], 16, 6)
	case c == 'x' && len(s) >= 4:
		return numeric(s[2:4], 16, 4)
	case c == '0' && len(s) >= 4:
		return numeric(s[1:4], 8, 4)
	case c == 'e' && len(s) > 2 && s[2] == '[':
		return "\x1b", 2
	case punctuation(c):
		return s[1:2], 2
	}
	return "", continued(s)
}

// continued returns the length of a line end that its first character takes away: \ in programs and shells, = in
// quoted-printable text (RFC 2045).
func continued(s string) int {
	switch {
	case strings.HasPrefix(s[1:], "\n"):
		return 2
	case strings.HasPrefix(s[1:], "\r\n"):
		return 3
	}
	return 0
}

// punctuation reports whether a byte is one that Markdown lets a backslash stand before.
func punctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// entity undoes &#95; and &#x5f; (HTML).
func entity(s string) (string, int) {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 3 || s[1] != '#' {
		return "", 0
	}
	if s[2] == 'x' || s[2] == 'X' {
		return numeric(s[3:end], 16, end+1)
	}
	return numeric(s[2:end], 10, end+1)
}

// numeric returns the character of an escape that gives its number, and how long the escape is.
func numeric(digits string, base, n int) (string, int) {
	r, err := strconv.ParseUint(digits, base, 21)
	if err != nil {
		return "", 0
	}
	return character(rune(r), n)
}

// character returns an ASCII character as it is, one that cannot be seen as nothing, and leaves all
// others alone.
func character(r rune, n int) (string, int) {
	switch {
	case r < utf8.RuneSelf:
		return string(r), n
	case r != utf8.RuneError && render.Hidden(r):
		return "", n
	}
	return "", 0
}

// sequence returns the length of what a terminal takes for a command (ECMA-48).
func sequence(s string) int {
	switch {
	case len(s) < 2:
		return len(s)
	case s[1] == '[':
		return 2 + parameters(s[2:])
	case s[1] == ']':
		if end := strings.IndexAny(s[2:min(len(s), 2048)], "\a\x1b\n"); end >= 0 {
			return 2 + end
		}
	case strings.IndexByte("()*+#", s[1]) >= 0 && len(s) > 2:
		return 3
	}
	return 2
}

// parameters returns the length of the rest of a control sequence, its last byte included.
func parameters(s string) int {
	for i := range min(len(s), 64) {
		if c := s[i]; c < ' ' || c > '?' {
			return i + 1
		}
	}
	return 0
}
