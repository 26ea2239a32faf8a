package kind

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// mark returns s as one line of Markdown that displays s. It escapes Markdown with backslashes. A line break becomes
// <br>, control and direction characters become \u{202e}. The result never begins a fence, a list, a heading or a
// quote. The result is part of stored views, so it must never change.
func mark(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(s)
	s = strings.Trim(s, " \n")
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteString("<br>")
		case isUnseen(r):
			fmt.Fprintf(&b, `\\u{%x}`, r)
		default:
			if isMarkup(s, i, r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isMarkup reports whether Markdown interprets the character at i.
func isMarkup(s string, i int, r rune) bool {
	rest := s[i+utf8.RuneLen(r):]
	switch r {
	case '\\', '`', '*', '[', '<':
		return true
	case '_':
		return !isInsideWord(s, i)
	case '~':
		return strings.HasPrefix(rest, "~") || strings.HasSuffix(s[:i], "~")
	case '&':
		name := strings.TrimLeft(rest, "#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		return strings.HasPrefix(name, ";")
	case '#', '+', '-', '>':
		return i == 0 && (rest == "" || strings.ContainsRune(" \n"+string(r), rune(rest[0])) || r == '>')
	case '.', ')':
		return isOrdinal(s[:i]) && (rest == "" || rest[0] == ' ' || rest[0] == '\n')
	}
	return false
}

// isInsideWord reports whether the underscore at i is between letters or digits, where Markdown does not interpret
// it.
func isInsideWord(s string, i int) bool {
	return i > 0 && i+1 < len(s) && isWordByte(s[i-1]) && isWordByte(s[i+1])
}

func isWordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= utf8.RuneSelf
}

// isOrdinal reports whether s is a number that would begin a numbered list.
func isOrdinal(s string) bool { return s != "" && len(s) < 10 && strings.Trim(s, "0123456789") == "" }

// isUnseen reports whether r is invisible. The list is fixed, because the tables of package unicode change.
func isUnseen(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f, r == 0xad, r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff,
		r == utf8.RuneError:
		return true
	case r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb,
		r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
