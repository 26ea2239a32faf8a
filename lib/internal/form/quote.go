package form

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote returns escaped text as prefixed lines of at most limit characters together, and the rest that does not fit.
// 0 means no limit. <, > and & become entities. A final newline ends the last line and begins no other.
func quote(escaped string, limit int) (content, left string) {
	if limit <= 0 {
		limit = math.MaxInt
	}
	var b strings.Builder
	for escaped != "" {
		if limit < len(linePrefix)+1 {
			return b.String(), escaped
		}
		limit -= len(linePrefix) + 1 // includes the newline
		line, rest, _ := strings.Cut(escaped, "\n")
		quoted, cut := quoteLine(line, limit)
		if quoted == "" && cut != "" {
			return b.String(), escaped
		}
		b.WriteString(linePrefix + quoted + "\n")
		if cut != "" {
			return b.String(), escaped[len(line)-len(cut):]
		}
		limit -= utf8.RuneCountInString(quoted)
		escaped = rest
	}
	return b.String(), ""
}

// quoteLine returns the part of line that fits in limit characters, and the rest.
func quoteLine(line string, limit int) (quoted, left string) {
	var b strings.Builder
	used := 0
	for line != "" {
		n := unitLen(line)
		shown := entity(line[:n])
		cost := utf8.RuneCountInString(shown)
		if cost > limit-used {
			return b.String(), line
		}
		b.WriteString(shown)
		used += cost
		line = line[n:]
	}
	return b.String(), ""
}

// entity returns the HTML entity of a character, if it has one.
func entity(char string) string {
	switch char {
	case "<":
		return "&lt;"
	case ">":
		return "&gt;"
	case "&":
		return "&amp;"
	}
	return char
}

// unitLen returns the length in bytes of the unit at the start of escaped text that must not be cut. A unit is an
// escape, or a character with its joiners and selectors.
func unitLen(escaped string) int {
	n := escapeLen(escaped)
	if n == 0 && !startsWithJoiner(escaped) {
		_, n = utf8.DecodeRuneInString(escaped)
	}
	for n < len(escaped) && escaped[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(escaped[n:])
		switch {
		case r == variation16:
		case r == keycap && strings.HasSuffix(escaped[:n], string(variation16)):
		case startsWithJoiner(escaped[n:]):
			next, more := utf8.DecodeRuneInString(escaped[n+size:])
			if next >= utf8.RuneSelf { // markup and escapes are separate units
				size += more
			}
			if !unicode.Is(pictographic(), next) { // otherwise letters could be joined without limit
				return n + size
			}
		default:
			return n
		}
		n += size
	}
	return n
}

// startsWithJoiner reports whether text begins with a joiner or non-joiner.
func startsWithJoiner(text string) bool {
	return strings.HasPrefix(text, joiner) || strings.HasPrefix(text, nonJoiner)
}

// escapeLen returns the length of the escape at the start of text, 0 for none: \x1b or \u{202e}.
func escapeLen(text string) int {
	switch {
	case len(text) >= 4 && strings.HasPrefix(text, `\x`) && IsHex(text[2:4]):
		return 4
	case strings.HasPrefix(text, `\u{`):
		const longest = len(`\u{10ffff}`)
		end := strings.IndexByte(text[:min(len(text), longest)], '}')
		if end > 3 && IsHex(text[3:end]) {
			return end + 1
		}
	case len(text) >= 2 && strings.HasPrefix(text, `\`) && strings.IndexByte("nrt", text[1]) >= 0:
		return 2
	}
	return 0
}
