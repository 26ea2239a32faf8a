package cli

import (
	"io"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// ForPeople reports whether to print lines for people instead of JSON.
func (a *App) ForPeople() bool { return !a.JSON && IsTerminal(a.Stdout) }

// Show prints a value as JSON with --json, otherwise as text.
func (a *App) Show(v any, text string) error {
	if a.JSON {
		return a.PrintJSON(v)
	}
	return a.Print(text)
}

// Print prints a text.
func (a *App) Print(text string) error {
	_, err := io.WriteString(a.Stdout, text)
	return err
}

// Did calls Committed, then prints the result as Tell does.
func (a *App) Did(v any, line string, advice ...string) error {
	a.Committed()
	return a.Tell(v, line, advice...)
}

// Tell prints a value: on a terminal a line, and below it the advice; otherwise JSON.
func (a *App) Tell(v any, line string, advice ...string) error {
	if !a.ForPeople() {
		return a.PrintJSON(v)
	}
	text := Fit(a.Stdout, handoff.EscapeLine(line)) + "\n"
	for _, next := range advice {
		if next != "" {
			text += a.Styled(Faint, Fit(a.Stdout, "  "+handoff.EscapeLine(next))) + "\n"
		}
	}
	return a.Print(text)
}

// Table returns rows as a table that fits the terminal, below the words of a header.
func (a *App) Table(header string, rows [][]string) string {
	return handoff.Table(TerminalWidth(a.Stdout), strings.Fields(header), rows)
}

// Lines prints the values as JSON, a line each, with --json; otherwise as text.
func Lines[T any](a *App, values []T, text func() string) error {
	if !a.JSON {
		return a.Print(text())
	}
	return JSONLines(a, values)
}

// JSONLines prints the values as JSON, a line each.
func JSONLines[T any](a *App, values []T) error {
	for _, v := range values {
		if err := a.PrintJSON(v); err != nil {
			return err
		}
	}
	return nil
}

// PrintJSON prints a value as one line.
func (a *App) PrintJSON(v any) error { return EncodeJSON(a.Stdout, v) }

// EncodeJSON prints a value as one line. All JSON output of the programs goes through it.
func EncodeJSON(w io.Writer, v any) error {
	text, err := handoff.JSON(v, "")
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}
