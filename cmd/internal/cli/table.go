package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/palette"
)

// PrintTable prints a line for each handoff: the sign of its state, the title, sender and recipient, how long ago it
// was written, and the id. Below the line of a handoff comes its text of below, if there is one. A wide terminal, or a
// pipe, gets the state in words too. It returns the signs that were printed, with their states.
func (a *App) PrintTable(w *bufio.Writer, s *handoff.Store, entries []handoff.Entry, below []string) (legend string) {
	if len(entries) == 0 {
		return ""
	}
	width, listed := TerminalWidth(a.Stdout), s.Listed(entries)
	header, rows := a.tableCells(listed, enoughDigits(entries), width == 0 || width >= wide)
	room := width
	for _, row := range rows {
		room = min(room, width-handoff.Width(strings.Join(row, "  ")))
	}
	styles := make([]string, len(entries)+1)
	styles[0] = Faint
	for i, e := range listed {
		title := e.Title
		if width > 0 {
			title = handoff.Cut(title, max(room-len("* "), narrowTitle))
		}
		rows[i][0] = a.StateSign(e.State) + " " + title
		switch {
		case e.Unread:
			styles[i+1] = Bold
		case e.State.IsClosed():
			styles[i+1] = Faint
		}
	}
	table := handoff.Table(width, header, rows)
	for i, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
		sign := ""
		if i > 0 {
			state := listed[i-1].State
			sign, line = a.Styled("\x1b["+palette.Of(string(state)).Of16[0]+"m", a.StateSign(state)),
				strings.TrimPrefix(line, a.StateSign(state))
		}
		fmt.Fprintln(w, sign+a.Styled(styles[i], line))
		if i > 0 && i <= len(below) && below[i-1] != "" {
			fmt.Fprint(w, handoff.Table(width, []string{below[i-1]}, nil))
		}
	}
	return a.legend(listed)
}

// tableCells returns the header and the cells of a table, without the titles.
func (a *App) tableCells(listed []handoff.Listed, digits int, inWords bool) (header []string, rows [][]string) {
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
		row := []string{"", e.From + arrow + e.To, fmt.Sprintf("%*s", ages, a.When(e.Time)), Short(e.ID, digits)}
		if inWords {
			row = append(row, a.stateWithDetail(e))
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
func (a *App) legend(listed []handoff.Listed) string {
	var parts []string
	for _, state := range handoff.States() {
		if slices.ContainsFunc(listed, func(l handoff.Listed) bool { return l.State == state }) {
			parts = append(parts, a.StateSign(state)+" "+string(state))
		}
	}
	return strings.Join(parts, "  ")
}

// StateSign returns the sign of a state.
func (a *App) StateSign(state handoff.State) string {
	if look := palette.Of(string(state)); a.HasSigns() {
		return look.Sign
	} else {
		return look.ASCII
	}
}

// HasSigns reports whether the locale has the signs of states, one column wide: it has UTF-8, and is not one of those
// in which terminals draw such signs two columns wide.
func (a *App) HasSigns() bool {
	locale := strings.ToLower(cmp.Or(a.Getenv("LC_ALL"), a.Getenv("LC_CTYPE"), a.Getenv("LANG"), "utf-8"))
	isWide := slices.Contains([]string{"ja", "ko", "zh"}, locale[:min(2, len(locale))])
	return !isWide && (strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8"))
}

// When returns a time (RFC 3339) as a reader of the output wants it: on a terminal how long ago it was, else as it is.
func (a *App) When(ts string) string {
	at, err := time.Parse(time.RFC3339, ts)
	if err != nil || !IsTerminal(a.Stdout) {
		return ts
	}
	return handoff.Ago(at, a.Now())
}

// Styled returns text in a style, or as it is if the output has no colors.
func (a *App) Styled(style, text string) string {
	if style == "" || !a.Colors() {
		return text
	}
	return style + text + Plain
}

// stateWithDetail returns the state of a handoff, and when a session of the recipient was told of it.
func (a *App) stateWithDetail(e handoff.Listed) string {
	if e.Told != "" {
		return string(e.State) + ", told " + a.When(e.Told)
	}
	return string(e.State)
}

// Colors reports whether to print colors (https://no-color.org).
func (a *App) Colors() bool {
	return IsTerminal(a.Stdout) && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
}

// Short returns the first digits of an id.
func Short(id string, digits int) string {
	id = strings.TrimPrefix(id, "sha256:")
	return id[:min(digits, len(id))]
}

// enoughDigits returns how many digits distinguish the ids, at least 8.
func enoughDigits(entries []handoff.Entry) int {
	digits := Shortest
	for seen := map[string]string{}; digits < 64; digits++ {
		clear(seen)
		if !slices.ContainsFunc(entries, func(e handoff.Entry) bool {
			short := Short(e.ID, digits)
			other, has := seen[short]
			seen[short] = e.ID
			return has && other != e.ID
		}) {
			break
		}
	}
	return digits
}

func eachLine(w *bufio.Writer, entries []handoff.Entry, line func(handoff.Entry) string) error {
	for _, e := range entries {
		if _, err := w.WriteString(line(e) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// ListPrinter returns the function that prints entries in a format. "" means table on a terminal, otherwise rows.
func (a *App) ListPrinter(format *string) func(*App, *bufio.Writer, *handoff.Store, []handoff.Entry) error {
	if *format == "" && IsTerminal(a.Stdout) {
		*format = "table"
	}
	return ListFormats[*format]
}

// ListFormats maps a format to the function that prints entries in it. json is one array, for older scripts.
var ListFormats = map[string]func(*App, *bufio.Writer, *handoff.Store, []handoff.Entry) error{
	"":     printRows,
	"rows": printRows,
	"ids": func(_ *App, w *bufio.Writer, _ *handoff.Store, es []handoff.Entry) error {
		return eachLine(w, es, func(e handoff.Entry) string { return e.ID })
	},
	"table": printTable,
	"jsonl": func(_ *App, w *bufio.Writer, s *handoff.Store, es []handoff.Entry) error {
		for _, e := range s.Listed(es) {
			if err := EncodeJSON(w, e); err != nil {
				return err
			}
		}
		return nil
	},
	"json": func(_ *App, w *bufio.Writer, s *handoff.Store, es []handoff.Entry) error {
		return EncodeJSON(w, s.Listed(es))
	},
}

func printRows(_ *App, w *bufio.Writer, _ *handoff.Store, entries []handoff.Entry) error {
	return eachLine(w, entries, handoff.Entry.String)
}

func printTable(a *App, w *bufio.Writer, s *handoff.Store, entries []handoff.Entry) error {
	legend := a.PrintTable(w, s, entries, nil)
	if legend != "" && IsTerminal(a.Stdout) {
		fmt.Fprintln(w, a.Styled(Faint, legend))
	}
	return nil // Flush returns the first error
}

const Shortest = 8 // digits of an id in output for people

const (
	Bold  = "\x1b[1m"
	Faint = "\x1b[2m"
	Plain = "\x1b[0m"
)
