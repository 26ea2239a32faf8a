package document

import (
	"fmt"
	"strings"

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
	isWhole := true
	for i, line := range r.lines {
		column, problem, hint := 1, "", ""
		if problem, hint = marker(line); problem != "" {
			isWhole = false
		} else {
			column, problem, hint = r.findBad(line)
		}
		if problem != "" && len(r.faults) < maxCharFaults {
			r.spoilt[i+1] = true
			r.add(place{i + 1, column}, "", problem, hint)
		}
	}
	return isWhole
}

// marker returns the problem of a line that would end the YAML document early. A program would not see the text after
// it, but people would.
func marker(line string) (problem, hint string) {
	switch {
	case strings.HasPrefix(line, "..."):
		return `a line that begins with "..." ends the YAML document`, "remove the line"
	case strings.HasPrefix(line, "--- "):
		return "a second YAML document begins here", "keep one mapping between the --- lines"
	}
	return "", ""
}

// findBad returns the first bad character of a line.
func (r *yamlReader) findBad(line string) (column int, problem, hint string) {
	for at, char := range line {
		column++
		switch {
		case char == '\t':
			return column, r.Name + " holds a tab", "use spaces"
		case char == '\ufeff' && at == 0: // YAML ignores it at the start of a line
			return column, "a byte-order mark stands inside " + r.Name, "remove it"
		case form.IsHidden(char):
			return column, fmt.Sprintf("%s holds the character U+%04X", r.Name, char), "remove it"
		}
	}
	return 0, "", ""
}
