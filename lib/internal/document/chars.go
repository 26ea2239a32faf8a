package document

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// maxCharFaults limits the faults about bad characters.
const maxCharFaults = 20

// readable reports the forbidden characters of a text, at most one for each line, and lines that would end the YAML
// document early. It returns false if the text cannot be parsed because of them.
func (r *yamlReader) readable(text []byte) bool {
	if len(text) > r.MaxBytes {
		r.add(place{1, 1}, "", fmt.Sprintf("%s is larger than %d bytes", r.Name, r.MaxBytes), "make it smaller")
		return false
	}
	if at := form.Invalid(text); at >= 0 {
		line, column := form.Place(text, at)
		r.add(place{line, column}, "", r.Name+" is not valid UTF-8 here", "save the file as UTF-8")
		return false
	}
	directives, whole := true, true            // %-lines are directives only before the first line with content
	for number := 1; len(text) > 0; number++ { // %-lines are directives only before the first line with content
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		column, problem, hint := 1, "", ""
		if problem, hint = marker(line, directives); problem != "" {
			whole = false
		} else {
			column, problem, hint = r.findBad(line)
		}
		if problem != "" && len(r.faults) < maxCharFaults {
			r.spoilt[number] = true
			r.add(place{number, column}, "", problem, hint)
		}
		// Comments and empty lines can come before a directive, content cannot.
		if content := bytes.TrimLeft(line, " "); len(content) > 0 && content[0] != '#' {
			directives = false
		}
	}
	return whole
}

// marker returns the problem of a line that would end the YAML document early. A program would not see the text after
// it, but people would.
func marker(line []byte, directives bool) (problem, hint string) {
	switch {
	case bytes.HasPrefix(line, []byte("...")):
		return `a line that begins with "..." ends the YAML document`, "remove the line"
	case bytes.HasPrefix(line, []byte("--- ")):
		return "a second YAML document begins here", "keep one mapping between the --- lines"
	case directives && bytes.HasPrefix(line, []byte("%")):
		return "YAML directives are not allowed", "remove the line"
	}
	return "", ""
}

// findBad returns the first bad character of a line.
func (r *yamlReader) findBad(line []byte) (column int, problem, hint string) {
	for at := 0; at < len(line); {
		char, size := rune(line[at]), 1
		if char >= utf8.RuneSelf {
			char, size = utf8.DecodeRune(line[at:])
		}
		column++
		switch {
		case char == '\t':
			return column, r.Name + " holds a tab", "use spaces"
		case char == '\ufeff' && at == 0: // YAML ignores it at the start of a line
			return column, "a byte-order mark stands inside " + r.Name, "remove it"
		case form.IsHidden(char):
			return column, fmt.Sprintf("%s holds the character U+%04X", r.Name, char), "remove it"
		}
		at += size
	}
	return 0, "", ""
}
