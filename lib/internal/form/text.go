package form

import (
	"bytes"
	"unicode/utf8"
)

// Normal removes a leading byte-order mark and replaces all line ends by LF. The same text then has the same lines
// and the same id on all systems. The result may be text itself.
func Normal(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}

// LinesBefore returns the number of lines of a text before its end, 0 if it has another end.
func LinesBefore(text []byte, end string) int {
	before, is := bytes.CutSuffix(Normal(text), []byte(end))
	if !is {
		return 0
	}
	return bytes.Count(before, []byte("\n"))
}

// Invalid returns the offset of the first byte that is not UTF-8, or -1.
func Invalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for at := 0; ; {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size < 2 {
			return at
		}
		at += size
	}
}

// Place returns the line and column of an offset, both counted from 1; columns count characters.
func Place(text []byte, offset int) (line, column int) {
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}
