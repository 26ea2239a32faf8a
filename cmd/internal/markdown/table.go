package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	gfm "github.com/yuin/goldmark/extension/ast"

	"github.com/seed-78daf238/handoff/lib/page"
)

const gap = 2 // between columns

// table returns a table with columns as wide as necessary, wrapped if the table is too wide. It shows the source
// if there is no room at all, or if the parser has dropped a cell.
func (r *renderer) table(t *gfm.Table, width int) []string {
	widths := make([]int, len(t.Alignments))
	room := width - gap*(len(widths)-1)
	written, isWhole := page.Written(t, r.source)
	if !isWhole {
		return r.cut(written, width, none)
	}
	var rows [][]string
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		style := none
		if row == t.FirstChild() {
			style = bold
		}
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			at := len(cells)
			cells = append(cells, r.inline(cell, style))
			widths[at] = max(widths[at], ansi.StringWidth(cells[at]))
		}
		rows = append(rows, cells)
	}
	for sum(widths) > room {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= narrowest {
			return r.cut(written, width, none)
		}
		widths[widest]--
	}
	var lines []string
	for i, cells := range rows {
		lines = append(lines, columns(cells, widths, t.Alignments)...)
		if i > 0 {
			continue
		}
		for k, w := range widths {
			cells[k] = r.say(strings.Repeat("─", w), faint)
		}
		lines = append(lines, columns(cells, widths, t.Alignments)...)
	}
	return lines
}

func sum(widths []int) (all int) {
	for _, w := range widths {
		all += w
	}
	return all
}

// columns returns the lines of a row.
func columns(cells []string, widths []int, alignments []gfm.Alignment) []string {
	blocks := make([]string, 0, 2*len(cells))
	for i, cell := range cells {
		place := lipgloss.Left
		if alignments[i] == gfm.AlignRight {
			place = lipgloss.Right
		}
		lines := wrap(cell, widths[i])
		for k, line := range lines {
			lines[k] = lipgloss.PlaceHorizontal(widths[i], place, line)
		}
		blocks = append(blocks, strings.Join(lines, "\n"), strings.Repeat(" ", gap))
	}
	lines := strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, blocks...), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}
