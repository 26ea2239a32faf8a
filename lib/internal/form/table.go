package form

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	columnGap   = "  "
	narrowest   = 6 // no column is cut below this width
	cutMark     = "…"
	cutMarkSize = 1
)

// Table returns header and rows as aligned columns for a terminal of width cells. 0 means no limit. Rows can be
// shorter than the header.
//
// Every cell is escaped by EscapeLine. The widest columns are cut first, and end in "…". The first column, which
// identifies the row, is cut last. No column is dropped: a table with too many columns is wider than the terminal.
func Table(width int, header []string, rows [][]string) string {
	lines := make([][]string, 0, len(rows)+1)
	lines = append(lines, escapeCells(header, len(header)))
	for _, row := range rows {
		lines = append(lines, escapeCells(row, len(header)))
	}
	widths := columnWidths(width, lines)
	var b strings.Builder
	for _, line := range lines {
		writeRow(&b, line, widths)
	}
	return b.String()
}

// escapeCells returns n cells of a row. Cells beyond n are omitted.
func escapeCells(row []string, n int) []string {
	cells := make([]string, n)
	for i := range min(n, len(row)) {
		cells[i] = EscapeLine(row[i])
	}
	return cells
}

// columnWidths returns the widths at which a line fits: the widest columns are cut first, the first column last.
func columnWidths(limit int, lines [][]string) []int {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	if limit <= 0 {
		return widths
	}
	total := len(columnGap) * (len(widths) - 1)
	for i := range widths {
		widths[i] = min(widths[i], max(limit, narrowest))
		total += widths[i]
	}
	for ; total > limit; total-- {
		widest := 0
		for i, w := range widths {
			if w > narrowest && (widest == 0 || w > widths[widest]) && i > 0 {
				widest = i
			}
		}
		if widths[widest] <= narrowest {
			break
		}
		widths[widest]--
	}
	return widths
}

// writeRow writes one line without trailing spaces.
func writeRow(b *strings.Builder, cells []string, widths []int) {
	pending := 0
	for i, cell := range cells {
		cell, used := fit(cell, widths[i])
		if cell != "" {
			b.WriteString(strings.Repeat(" ", pending))
			b.WriteString(cell)
			pending = 0
		}
		pending += widths[i] - used + len(columnGap)
	}
	b.WriteByte('\n')
}

// Cut returns text, escaped for one line and cut to width cells. Cut text ends in "…".
func Cut(text string, width int) string {
	cut, _ := fit(EscapeLine(text), width)
	return cut
}

// Words returns the parts of escaped text between which a line can be broken: after a space, and beside a character
// as wide as two. A hyphen or a slash is no such place, since it can be part of an option or a path.
func Words(text string) (words []string) {
	from, end, state := 0, 0, -1
	for rest := text; rest != ""; {
		var part string
		part, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		end += len(part)
		last, _ := utf8.DecodeLastRuneInString(part)
		next, _ := utf8.DecodeRuneInString(rest)
		if rest == "" || last == ' ' || Width(string(last)) > 1 || Width(string(next)) > 1 {
			words, from = append(words, text[from:end]), end
		}
	}
	return words
}

// fit returns escaped text, cut to width cells between two characters and never inside an escape, and its width.
func fit(text string, width int) (string, int) {
	if w := Width(text); w <= width {
		return text, w
	}
	cut := ""
	for {
		rest := text[len(cut):]
		cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(rest, -1)
		next := text[:len(cut)+max(len(cluster), unitLen(rest))]
		if Width(next) > width-cutMarkSize {
			break
		}
		cut = next
	}
	for EscapeLine(cut) != cut { // a joiner at the end has lost what follows it
		cut = cut[:max(0, strings.LastIndexAny(cut, joiner+nonJoiner))]
	}
	return cut + cutMark, Width(cut) + cutMarkSize
}

// Width returns how many cells of a terminal escaped text takes.
func Width(text string) int {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return uniseg.StringWidth(text)
		}
	}
	return len(text)
}
