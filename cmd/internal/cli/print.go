package cli

import (
	"io"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// forPeople says whether a line is better than JSON.
func (a *App) ForPeople() bool { return !a.JSON && IsTerminal(a.Stdout) }

// Show prints a value as JSON if that is asked for, and else as text.
func (a *App) Show(v any, text string) error {
	if a.JSON {
		return a.PrintJSON(v)
	}
	_, err := io.WriteString(a.Stdout, text)
	return err
}

// Did prints what a command has done, as Tell does.
func (a *App) Did(v any, line string, advice ...string) error {
	a.Committed()
	return a.Tell(v, line, advice...)
}

// Tell prints a value: to a person a line and below it what can be done next, else as JSON.
func (a *App) Tell(v any, line string, advice ...string) error {
	if !a.ForPeople() {
		return a.PrintJSON(v)
	}
	text := handoff.EscapeLine(line) + "\n"
	for _, next := range advice {
		if next != "" {
			text += a.Styled(Faint, "  "+handoff.EscapeLine(next)) + "\n"
		}
	}
	_, err := io.WriteString(a.Stdout, text)
	return err
}

// Lines prints each value as a line of JSON if that is asked for, and else all as text.
func Lines[T any](a *App, values []T, text func() (string, error)) error {
	if !a.JSON {
		all, err := text()
		if err == nil {
			_, err = io.WriteString(a.Stdout, all)
		}
		return err
	}
	for _, v := range values {
		if err := a.PrintJSON(v); err != nil {
			return err
		}
	}
	return nil
}

// PrintJSON prints a value as one line.
func (a *App) PrintJSON(v any) error { return EncodeJSON(a.Stdout, v) }

// encodeJSON is the one way in which the programs print JSON.
func EncodeJSON(w io.Writer, v any) error {
	text, err := handoff.JSON(v, "")
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}
