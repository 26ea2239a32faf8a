package fields

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text returns s as one line of Markdown that shows s: markup is escaped with a backslash, a line break
// becomes <br>, and control and direction characters become \u{202e}. The result never begins a fence, a
// list, a heading or a quote. It is part of every stored view and therefore never changes.
func Text(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(s)
	s = strings.Trim(s, " \n")
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteString("<br>")
		case unseen(r):
			fmt.Fprintf(&b, `\\u{%x}`, r)
		default:
			if markup(s, i, r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// markup says whether Markdown would read the character at i as more than itself.
func markup(s string, i int, r rune) bool {
	rest := s[i+utf8.RuneLen(r):]
	switch r {
	case '\\', '`', '*', '[', '<':
		return true
	case '_':
		return !insideWord(s, i)
	case '~':
		return strings.HasPrefix(rest, "~") || strings.HasSuffix(s[:i], "~")
	case '&':
		name := strings.TrimLeft(rest, "#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		return strings.HasPrefix(name, ";")
	case '#', '+', '-', '>':
		return i == 0 && (rest == "" || strings.ContainsRune(" \n"+string(r), rune(rest[0])) || r == '>')
	case '.', ')':
		return ordinal(s[:i]) && (rest == "" || rest[0] == ' ' || rest[0] == '\n')
	}
	return false
}

// insideWord says whether the underscore at i stands between letters or digits, where it is no markup.
func insideWord(s string, i int) bool {
	return i > 0 && i+1 < len(s) && wordByte(s[i-1]) && wordByte(s[i+1])
}

func wordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= utf8.RuneSelf
}

// ordinal says whether s is a number that would begin a numbered list.
func ordinal(s string) bool { return s != "" && len(s) < 10 && strings.Trim(s, "0123456789") == "" }

// unseen is a fixed list, not a property of unicode's tables: those change with their version.
func unseen(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f, r == 0xad, r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff, r == utf8.RuneError:
		return true
	case r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
