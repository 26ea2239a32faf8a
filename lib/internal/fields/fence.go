package fields

import "strings"

// A fence is one fenced code block.
type fence struct {
	line                int    // 1-based line of its opening
	indent              int    // the number of spaces before it
	char                byte   // ` or ~
	size                int    // the number of chars
	info                string // the text after them, trimmed
	start               int    // offset of the opening line
	content, contentEnd int    // offsets of the content, without its last newline
	end                 int    // offset after the closing line, -1 if there is none
}

// scan returns the fenced code blocks of text in order. Only the last one can be unclosed.
func scan(text string) []fence {
	var found []fence
	open := false
	for at, number := 0, 1; at < len(text); number++ {
		line, _, more := strings.Cut(text[at:], "\n")
		next := at + len(line)
		if more {
			next++
		}
		f, isFence := readFence(line)
		switch {
		case open && isFence && f.closes(found[len(found)-1]):
			last := &found[len(found)-1]
			last.contentEnd, last.end = max(last.content, at-1), next
			open = false
		case !open && isFence:
			f.line, f.start, f.content, f.end = number, at, next, -1
			found = append(found, f)
			open = true
		}
		at = next
	}
	return found
}

// readFence parses a line as the opening or closing line of a fence.
func readFence(line string) (fence, bool) {
	rest := strings.TrimLeft(line, " ")
	f := fence{indent: len(line) - len(rest)}
	if f.indent > 3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
		return f, false
	}
	f.char = rest[0]
	f.size = len(rest) - len(strings.TrimLeft(rest, rest[:1]))
	f.info = strings.Trim(rest[f.size:], " \t")
	return f, f.size >= 3 && (f.char == '~' || !strings.Contains(f.info, "`"))
}

func (f fence) closes(open fence) bool {
	return f.char == open.char && f.size >= open.size && f.info == ""
}
