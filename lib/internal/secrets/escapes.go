package secrets

import (
	_ "embed" // for the escapes
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// suspect has the bytes that begin an escape or an invisible character.
var suspect = sync.OnceValue(func() *[256]bool {
	all := new([256]bool)
	for _, c := range []byte("%\\&=\x7f\xc2\xcd\xd8\xe1\xe2\xe3\xee\xef\xf0\xf3") {
		all[c] = true
	}
	for c := range byte(' ') {
		all[c] = c != '\t' && c != '\n' && c != '\r'
	}
	return all
})

// marks are the characters of credentials and their names besides letters and digits.
const marks = "_-./~+=:$!@"

// hidesText reports whether text has an escape or an invisible character that could hide a credential from the rules.
// Escapes such as \", frequent in JSON within JSON, do not hide one.
func hidesText(text string) bool {
	suspect := suspect()
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

//go:embed escapes.json
var escapesFile []byte

// numbered are the escapes with the number of a character: of JavaScript, JSON, C, shells and HTML. Least and Most are
// the numbers of digits.
var numbered = form.Data[[]struct {
	Open, Close       string
	Base, Least, Most int
}](escapesFile)

// unescape returns the text of the escape at the start of s and its length, 0 if there is none. An invisible
// character returns "". Escapes of white space are not decoded, because the rules know them.
func unescape(s string) (plain string, n int) {
	switch s[0] {
	case '%':
		return percent(s)
	case '\\':
		return backslash(s)
	case '&':
		return number(s)
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
	case r == utf8.RuneError, !form.IsInvisible(r):
		return "", 0
	}
	return "", n
}

// number decodes an escape with the number of a character.
func number(s string) (string, int) {
	for _, e := range numbered() {
		rest, found := strings.CutPrefix(s, e.Open)
		if !found {
			continue
		}
		rest = rest[:min(len(rest), e.Most+len(e.Close))]
		digits := rest[:min(len(rest), e.Most)]
		if e.Close != "" {
			digits, _, found = strings.Cut(rest, e.Close)
		}
		r, err := strconv.ParseUint(digits, e.Base, 21)
		if !found || err != nil || len(digits) < e.Least {
			return "", 0
		}
		return character(rune(r), len(e.Open)+len(digits)+len(e.Close))
	}
	return "", 0
}

// percent decodes %22 (RFC 3986). A character beyond ASCII has several escapes.
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

// backslash decodes the escapes of JSON, of languages like C, of shells and of Markdown.
func backslash(s string) (string, int) {
	switch {
	case len(s) < 2:
		return "", 0
	case strings.HasPrefix(s, `\e[`):
		return "\x1b", 2
	case s[1] > ' ' && s[1] < 0x7f && !letterDigit(s[1]): // in Markdown
		return s[1:2], 2
	case letterDigit(s[1]):
		return number(s)
	}
	return "", continued(s)
}

// continued returns the length of an escaped line end: after \ in programs and shells, after = in quoted-printable
// text (RFC 2045).
func continued(s string) int {
	for _, end := range []string{"\n", "\r\n"} {
		if strings.HasPrefix(s[1:], end) {
			return 1 + len(end)
		}
	}
	return 0
}

// character returns an ASCII character, and "" for an invisible one. Other characters are left alone.
func character(r rune, n int) (string, int) {
	switch {
	case r < utf8.RuneSelf:
		return string(r), n
	case r != utf8.RuneError && form.IsInvisible(r):
		return "", n
	}
	return "", 0
}

// sequence returns the length of a terminal command (ECMA-48).
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

// parameters returns the length of the rest of a control sequence with its last byte.
func parameters(s string) int {
	for i := range min(len(s), 64) {
		if c := s[i]; c < ' ' || c > '?' {
			return i + 1
		}
	}
	return 0
}
