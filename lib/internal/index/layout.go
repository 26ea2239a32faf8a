package index

import (
	"bytes"
	"slices"
	"strings"
)

// A Layout is an index file in parts: the text above the rows, the rows, and the text below them. With it you
// can write the file again with other rows. The text of people stays byte for byte. If it was between the
// rows it moves below them, so that it does not split the table. Lines include their newlines.
type Layout struct {
	above, rows, below []string
	gap                []string // the lines after the column names or the last row
	begun              bool     // the column names or a row came already
}

// Add adds the next line, which is not a row.
func (t *Layout) Add(line string) {
	if t.begun {
		t.gap = append(t.gap, line)
		return
	}
	t.above = append(t.above, line)
	t.begun = hasHead(t.above)
}

// AddRow adds the next line, which is a row.
func (t *Layout) AddRow(r Row) {
	t.SkipRow()
	t.AppendRow(r)
}

// SkipRow omits the next line, which is a row.
func (t *Layout) SkipRow() {
	t.begun = true
	if slices.ContainsFunc(t.gap, isNote) {
		t.below = append(t.below, slices.DeleteFunc(t.gap,
			func(line string) bool { return !isNote(line) && trim(line) != "" })...)
	}
	t.gap = nil
}

// AppendRow adds a row after the last one.
func (t *Layout) AppendRow(r Row) { t.rows = append(t.rows, r.String()+"\n") }

// Text returns the file, with a heading and the column names if it had none.
func (t *Layout) Text() []byte {
	above := slices.Clone(t.above)
	if !slices.ContainsFunc(above, isHeading) {
		above = slices.Insert(above, 0, heading+"\n", "\n")
	}
	if !hasHead(above) {
		for last := len(above) - 1; trim(above[last]) == "" || isHead(trim(above[last])); last-- {
			above = above[:last]
		}
		above = append(above, "\n", columns+"\n", separator+"\n")
	}
	var out bytes.Buffer
	for _, line := range slices.Concat(above, t.rows, t.below, t.gap) {
		if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
			out.WriteByte('\n')
		}
		out.WriteString(line)
	}
	return out.Bytes()
}

// Lacks returns what is missing above the rows of an index, or "" if nothing is.
func Lacks(text string) string {
	var above []string
	for l := range RawLines(text) {
		if IsRowLike([]byte(l.Text)) {
			break
		}
		if above = append(above, l.Text); !hasHead(above) {
			continue
		}
		if slices.ContainsFunc(above, isHeading) {
			return ""
		}
		return "heading"
	}
	return "column names"
}

// hasHead reports whether lines end in the column names and their separator.
func hasHead(lines []string) bool {
	n := len(lines)
	return n > 1 && isColumns(trim(lines[n-2])) && isSeparator(trim(lines[n-1]))
}

func isHead(t string) bool { return isColumns(t) || isSeparator(t) }

// isHeading accepts any heading, since people may change it.
func isHeading(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(trim(line), "#"), " ")
}

func isNote(line string) bool { return !isFurniture(trim(line)) }

func trim(line string) string { return strings.Trim(line, " \t\r\n") }
