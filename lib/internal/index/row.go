package index

import (
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/internal/facts"
	"github.com/seed-78daf238/handoff/lib/internal/form"
)

// Row returns the row of a handoff and its life: one line, without its newline.
func Row(h *facts.Handoff, l *facts.Life) string {
	readers := make([]string, len(l.Reads))
	for i, m := range l.Reads {
		readers[i] = m.Operator + ":" + m.At.UTC().Format(time.RFC3339)
	}
	cells := []string{h.ID, h.File, h.From, h.To, h.Topic, h.Time, strings.Join(readers, ",")}
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(form.EscapeLine(cell), "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// appendRows appends the rows of handoffs.
func appendRows(rows []string, v facts.View, all []*facts.Handoff) []string {
	for _, h := range all {
		rows = append(rows, Row(h, v.Life(h)))
	}
	return rows
}

// rowID returns the first cell of a row.
func rowID(row string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " ")
	return id
}

// isRow reports whether a line is a complete row.
func isRow(line string) bool {
	return strings.HasPrefix(line, "| ") && strings.HasSuffix(line, "|") && form.IsID(rowID(line)) &&
		strings.Count(line, "|")-strings.Count(line, `\|`) == strings.Count(columns, "|")
}
