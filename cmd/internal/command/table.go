package command

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/site"
)

// FormatOf returns the format in which entries are printed: "" means table on a terminal, otherwise rows.
func FormatOf(a *cli.App, format string) string {
	if format == "" && cli.IsTerminal(a.Stdout) {
		return "table"
	}
	return format
}

// PrintList prints entries in a format of FormatOf. json is one array, for older scripts.
func PrintList(a *cli.App, s *handoff.Store, entries []handoff.Entry, format string) (err error) {
	w := bufio.NewWriterSize(a.Stdout, 8<<10) // Flush returns the first error of w
	defer func() {
		if err == nil {
			noteShown(s, entries)
		}
	}()
	switch format {
	case "table":
		if legend := printTable(a, w, s, entries, nil); legend != "" && cli.IsTerminal(a.Stdout) {
			fmt.Fprintln(w, a.Styled(cli.Faint, legend))
		}
	case "jsonl":
		for _, e := range s.Listed(entries) {
			if err = cli.EncodeJSON(w, e); err != nil {
				return err
			}
		}
	case "json":
		err = cli.EncodeJSON(w, s.Listed(entries))
	default:
		for _, e := range entries {
			line := e.ID
			if format != "ids" {
				line = e.Row()
			}
			_, _ = w.WriteString(line + "\n")
		}
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

// noteShown notes that handoffs were shown.
func noteShown(s *handoff.Store, entries []handoff.Entry) {
	if len(entries) == 0 {
		return
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	s.Seen().Add(ids...)
}

// printTable prints a line for each handoff: the sign of its state, the title, sender and recipient, how long ago it
// was written, and the id. Below the line of a handoff comes its text of below, if there is one. A wide terminal, or a
// pipe, gets the state in words too. It returns the signs that were printed, with their states.
func printTable(a *cli.App, w *bufio.Writer, s *handoff.Store, entries []handoff.Entry, below []string) string {
	if len(entries) == 0 {
		return ""
	}
	width, listed := cli.TerminalWidth(a.Stdout), s.Listed(entries)
	header, rows := tableCells(a, listed, cli.EnoughDigits(entries), width == 0 || width >= wide)
	room := width
	for _, row := range rows {
		room = min(room, width-handoff.Width(strings.Join(row, "  ")))
	}
	styles := make([]string, len(entries)+1)
	styles[0] = cli.Faint
	for i, e := range listed {
		title := e.Title
		if width > 0 {
			title = handoff.Cut(title, max(room-len("* "), narrowTitle))
		}
		rows[i][0] = a.StateSign(e.State) + " " + title
		switch {
		case e.Unread:
			styles[i+1] = cli.Bold
		case e.State.IsClosed():
			styles[i+1] = cli.Faint
		}
	}
	table := handoff.Table(width, header, rows)
	for i, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
		sign := ""
		if i > 0 {
			state := listed[i-1].State
			sign, line = a.Styled("\x1b["+site.LookOf(string(state)).SGR+"m", a.StateSign(state)),
				strings.TrimPrefix(line, a.StateSign(state))
		}
		fmt.Fprintln(w, sign+a.Styled(styles[i], line))
		if i > 0 && i <= len(below) && below[i-1] != "" {
			fmt.Fprint(w, handoff.Table(width, []string{below[i-1]}, nil))
		}
	}
	return legend(a, listed)
}

// tableCells returns the header and the cells of a table, without the titles.
func tableCells(a *cli.App, listed []handoff.Entry, digits int, inWords bool) (header []string, rows [][]string) {
	arrow := map[bool]string{true: " → ", false: " -> "}[a.HasSigns()]
	ages := 0
	for _, e := range listed {
		ages = max(ages, len(a.When(e.Time)))
	}
	header = []string{"  TITLE", "FROM" + arrow + "TO", fmt.Sprintf("%*s", ages, "TIME"), "ID"}
	if inWords {
		header = append(header, "STATE")
	}
	for _, e := range listed {
		row := []string{"", e.From + arrow + e.To, fmt.Sprintf("%*s", ages, a.When(e.Time)), cli.Short(e.ID, digits)}
		if inWords {
			row = append(row, string(e.State))
		}
		rows = append(rows, row)
	}
	return header, rows
}

const (
	wide        = 100 // columns from which a table has the state in words
	narrowTitle = 12
)

// legend returns the signs of the states that are listed, each with its word.
func legend(a *cli.App, listed []handoff.Entry) string {
	var parts []string
	for _, state := range handoff.States() {
		if slices.ContainsFunc(listed, func(l handoff.Entry) bool { return l.State == state }) {
			parts = append(parts, a.StateSign(state)+" "+string(state))
		}
	}
	return strings.Join(parts, "  ")
}
