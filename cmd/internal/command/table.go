package command

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/site"
)

// formatOf returns the format in which entries are printed: "" means JSON with --json, a table on a terminal, otherwise
// rows.
func formatOf(a *cli.App, format string) string {
	switch {
	case format != "":
		return format
	case a.JSON:
		return "jsonl"
	case cli.IsTerminal(a.Stdout):
		return "table"
	}
	return "rows"
}

// printList prints entries in a format of formatOf, and notes that they were shown. json is one array, for older
// scripts.
func printList(a *cli.App, s *handoff.Store, entries []handoff.Entry, format string) (err error) {
	w := bufio.NewWriterSize(a.Stdout, 8<<10) // Flush returns the first error of w
	switch format {
	case "table":
		listed := s.Listed(entries)
		rows := make([]row, len(listed))
		for i, l := range listed {
			rows[i] = row{l, a.When(l.Time), ""}
		}
		_, _ = w.WriteString(table(a, rows, true))
	case "jsonl":
		for _, l := range s.Listed(entries) {
			if err = cli.EncodeJSON(w, l); err != nil {
				return err
			}
		}
	case "json":
		err = cli.EncodeJSON(w, s.Listed(entries))
	default:
		for _, e := range entries {
			line := e.ID
			if format == "rows" {
				line = e.Row()
			}
			_, _ = w.WriteString(line + "\n")
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		noteShown(s, entries)
	}
	return err
}

// noteShown notes that handoffs were shown.
func noteShown(s *handoff.Store, entries []handoff.Entry) {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	s.Seen().Add(ids...)
}

// A row is a line of a table: a handoff, when it was written or what happened to it, and a text for the line below it,
// or "".
type row struct {
	handoff.Entry
	when, below string
}

const (
	wide        = 72 // columns from which a table has the state in words
	narrowTitle = 12
)

// table returns a line for each handoff: the sign of its state, the title, sender and recipient, the time, and the id.
// A whole table has a header and, unless the terminal is narrow, the state in words.
func table(a *cli.App, rows []row, isWhole bool) string {
	if len(rows) == 0 {
		return ""
	}
	width, arrow := cli.TerminalWidth(a.Stdout), map[bool]string{true: " → ", false: " -> "}[a.HasSigns()]
	header := []string{"  TITLE", "FROM" + arrow + "TO", "TIME", "ID", "STATE"}
	if !isWhole || width > 0 && width < wide {
		header = header[:4]
	}
	lines := make([][]string, len(rows))
	room := width
	for i, r := range rows {
		id := cli.Short(r.ID, cli.Shortest)
		lines[i] = []string{"", r.From + arrow + r.To, r.when, id, string(r.State)}[:len(header)]
		room = min(room, width-handoff.Width(strings.Join(lines[i], "  ")))
	}
	for i, r := range rows {
		if width > 0 {
			r.Title = handoff.Cut(r.Title, max(room-len("* "), narrowTitle))
		}
		lines[i][0] = a.StateSign(r.State) + " " + r.Title
	}
	var text strings.Builder
	i := -1 // the number of the row; before the first one comes the header
	for line := range strings.Lines(handoff.Table(width, header, lines)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case i >= 0:
			sign := a.StateSign(rows[i].State)
			text.WriteString(a.Styled("\x1b["+site.LookOf(string(rows[i].State)).SGR+"m", sign))
			fmt.Fprintln(&text, a.Styled(styleOf(rows[i]), strings.TrimPrefix(line, sign)))
			if rows[i].below != "" {
				text.WriteString(handoff.Table(width, []string{rows[i].below}, nil))
			}
		case isWhole:
			fmt.Fprintln(&text, a.Styled(cli.Faint, line))
		}
		i++
	}
	return text.String()
}

// styleOf returns the style of a row.
func styleOf(r row) string {
	switch {
	case r.Unread:
		return cli.Bold
	case r.State.IsClosed():
		return cli.Faint
	}
	return ""
}
