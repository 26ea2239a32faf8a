package form

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Escape makes all deceptive characters visible, and returns their number.
//
// Line feeds and tabs stay. CR, CRLF, NEL, LS and PS become line feeds, and are not counted. C0, DEL and C1 become
// \x1b. Hidden, private-use and noncharacters become \u{202e}. Each byte that is not UTF-8 becomes U+FFFD.
// Well-formed emoji sequences (UTS #51) keep their joiners and variation selectors, but not tags. Scripts that need
// joiners keep them (UAX
// #31).
//
// Escape removes nothing, and escaping twice is the same as once. Text without such characters is returned without a
// copy.
func Escape(text string) (escaped string, count int) { return escape(text, false) }

// EscapeLine is like Escape for one line, such as a table cell or an error message. It also escapes line breaks and
// tabs (\n, \r, \t, \x85, \u{2028}), so the result contains no control characters.
func EscapeLine(text string) string {
	escaped, _ := escape(text, true)
	return escaped
}

// A fate is the treatment of one character.
type fate int

const (
	keep fate = iota
	breakLine
	hide
)

// escape implements Escape and EscapeLine.
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

// rewrite calls edit for each character that cannot stay, and returns text with what edit appends instead. It skips
// printable ASCII without a table lookup, and returns text itself if nothing changes.
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

// judge returns the treatment of the n bytes of text at i.
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
	case unicode.Is(pictographic(), r):
		return emojiLen(text[i:]), keep
	case r == variation16 && isKeycap(text, i), (r == '\u200c' || r == '\u200d') && isNeededJoiner(text, i):
		return n, keep
	case IsInvisible(r):
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

// isLineBreak reports whether some programs begin a new line at the character.
func isLineBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}
