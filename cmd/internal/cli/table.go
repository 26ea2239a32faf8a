package cli

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// printTableOf is printTable with another column for the topics of the entries, and a line below each.
func (a *App) PrintTableOf(w *bufio.Writer, s *handoff.Store, column string, entries []handoff.Entry, below []string) error {
	if len(entries) == 0 {
		return nil
	}
	now, people := time.Now(), IsTerminal(a.Stdout)
	digits := enoughDigits(entries)
	rows := make([][]string, len(entries))
	styles := make([]string, len(entries))
	for i, e := range s.Listed(entries) {
		when := e.Time
		if at, err := time.Parse(time.RFC3339, e.Time); err == nil && people {
			when = handoff.Ago(at, now)
		}
		rows[i] = []string{Short(e.ID, digits), when, e.From, e.To, e.Topic, stateWithDetail(e, now)}
		switch {
		case e.Unread:
			styles[i] = Bold
		case e.State.IsOver():
			styles[i] = Faint
		}
	}
	width := TerminalWidth(a.Stdout)
	table := handoff.Table(width, []string{"ID", "TIME", "FROM", "TO", column, "STATE"}, rows)
	for i, line := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
		if style := append([]string{Faint}, styles...)[i]; style != "" && a.Colours() {
			line = style + line + Plain
		}
		fmt.Fprintln(w, line)
		if i > 0 && i <= len(below) && below[i-1] != "" {
			fmt.Fprint(w, handoff.Table(width, []string{below[i-1]}, nil))
		}
	}
	return nil // the writer keeps the first error for Flush
}

// stateWithDetail is the state of a handoff, with when its recipient was told of it.
func stateWithDetail(e handoff.Listed, now time.Time) string {
	if at, err := time.Parse(time.RFC3339, e.Told); err == nil {
		return string(e.State) + ", told " + handoff.Ago(at, now)
	}
	return string(e.State)
}

// Colours says whether standard output takes more than text (https://no-color.org).
func (a *App) Colours() bool {
	return IsTerminal(a.Stdout) && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
}

// Short returns so many digits of an id.
func Short(id string, digits int) string {
	id = strings.TrimPrefix(id, "sha256:")
	return id[:min(digits, len(id))]
}

// enoughDigits returns how many digits tell the ids apart, eight at least.
func enoughDigits(entries []handoff.Entry) int {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	slices.Sort(ids)
	most := Shortest
	for i := 1; i < len(ids); i++ {
		a, b := Short(ids[i-1], 64), Short(ids[i], 64)
		for n := most; n < 64 && a != b && a[:n] == b[:n]; n++ {
			most = n + 1
		}
	}
	return most
}

func eachLine(w *bufio.Writer, entries []handoff.Entry, line func(handoff.Entry) string) error {
	for _, e := range entries {
		if _, err := w.WriteString(line(e) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// listed are the formats of a list. json is one array, for older scripts.
var Listed = []string{"table", "rows", "jsonl", "ids", "json"}

// listPrinter returns what prints entries in a format, "" being the one for where they go.
func (a *App) ListPrinter(format *string) func(*App, *bufio.Writer, *handoff.Store, []handoff.Entry) error {
	if *format == "" && IsTerminal(a.Stdout) {
		*format = "table"
	}
	return ListFormats[*format]
}

var ListFormats = map[string]func(*App, *bufio.Writer, *handoff.Store, []handoff.Entry) error{
	"":     printRows,
	"rows": printRows,
	"ids": func(_ *App, w *bufio.Writer, _ *handoff.Store, es []handoff.Entry) error {
		return eachLine(w, es, func(e handoff.Entry) string { return e.ID })
	},
	"table": printTable,
	"jsonl": func(_ *App, w *bufio.Writer, s *handoff.Store, es []handoff.Entry) error {
		for _, e := range s.ListedWhole(es) {
			if err := EncodeJSON(w, e); err != nil {
				return err
			}
		}
		return nil
	},
	"json": func(_ *App, w *bufio.Writer, s *handoff.Store, es []handoff.Entry) error {
		return EncodeJSON(w, s.ListedWhole(es))
	},
}

func printRows(_ *App, w *bufio.Writer, _ *handoff.Store, entries []handoff.Entry) error {
	return eachLine(w, entries, func(e handoff.Entry) string { return e.String() })
}

// printTable prints a line for each: on a terminal with how long ago it was, and what is unread in bold.
func printTable(a *App, w *bufio.Writer, s *handoff.Store, entries []handoff.Entry) error {
	return a.PrintTableOf(w, s, "TOPIC", entries, nil)
}

const Shortest = 8 // digits of an id that are shown

const (
	Bold  = "\x1b[1m"
	Faint = "\x1b[2m"
	Plain = "\x1b[0m"
)
