package form

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Escape returns text with every character that could deceive made visible, and how many there were.
// Line feeds and tabs stay; CR, CRLF, NEL, LS and PS become line feeds and are not counted. C0, DEL
// and C1 become \x1b; hidden, private-use and noncharacters become \u{202e}; each byte that is not
// UTF-8 becomes U+FFFD. Well-formed emoji sequences (UTS #51) keep their joiners and variation
// selectors, but not tags, and scripts that need them their joiners (UAX #31). Nothing is removed, and
// escaping twice is the same as once. Text that needs nothing is returned as it is, without a copy.
func Escape(text string) (escaped string, count int) { return escape(text, false) }

// EscapeLine is Escape for one line, as in table cells and error messages: line breaks and tabs
// are escaped too (\n, \r, \t, \x85, \u{2028}), so the result never holds a control character.
func EscapeLine(text string) string {
	escaped, _ := escape(text, true)
	return escaped
}

// A fate is what becomes of one character.
type fate int

const (
	keep fate = iota
	breakLine
	hide
)

// escape is Escape and EscapeLine.
func escape(text string, oneLine bool) (escaped string, count int) {
	escaped = rewrite(text, oneLine, func(out []byte, char string, f fate) []byte {
		if f == breakLine {
			return append(out, '\n')
		}
		count++
		return appendEscape(out, char)
	})
	return escaped, count
}

// rewrite returns text with what edit appends in the place of each character that cannot stay. Text that
// needs nothing is returned as it is, and printable ASCII is passed over without a look at the tables.
func rewrite(text string, oneLine bool, edit func(out []byte, char string, f fate) []byte) string {
	var out []byte
	done := 0 // text[:done] is in out
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		n, f := judge(text, i, oneLine)
		if f != keep {
			out = edit(append(out, text[done:i]...), text[i:i+n], f)
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return text
	}
	return string(append(out, text[done:]...))
}

// judge says what becomes of the n bytes of text at i.
func judge(text string, i int, oneLine bool) (n int, f fate) {
	r, n := utf8.DecodeRuneInString(text[i:])
	switch {
	case r == utf8.RuneError && n == 1:
		return n, hide
	case r == '\n' || r == '\t':
		if oneLine {
			return n, hide
		}
		return n, keep
	case isLineBreak(r) && !oneLine:
		if r == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			n = 2
		}
		return n, breakLine
	case unicode.Is(pictographic, r):
		return emojiLen(text[i:]), keep
	case r == variation16 && isKeycap(text, i), (r == '\u200c' || r == '\u200d') && isNeededJoiner(text, i):
		return n, keep
	case Hidden(r):
		return n, hide
	}
	return n, keep
}

// appendEscape appends the visible form of char, the bytes of one character or one invalid byte.
func appendEscape(out []byte, char string) []byte {
	r, _ := utf8.DecodeRuneInString(char)
	switch {
	case r == utf8.RuneError:
		return utf8.AppendRune(out, utf8.RuneError)
	case r == '\n':
		return append(out, `\n`...)
	case r == '\r':
		return append(out, `\r`...)
	case r == '\t':
		return append(out, `\t`...)
	case unicode.IsControl(r):
		const digits = "0123456789abcdef"
		return append(out, '\\', 'x', digits[r>>4], digits[r&15])
	}
	out = append(out, `\u{`...)
	out = strconv.AppendInt(out, int64(r), 16)
	return append(out, '}')
}

// isLineBreak reports whether any reader of text begins a new line at a character.
func isLineBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}
