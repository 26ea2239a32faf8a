package cli

import (
	"fmt"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// ReadOn returns a function that returns the command to read on from an offset.
func ReadOn(command string) func(next int) string {
	return func(next int) string { return fmt.Sprintf("%s --agent --offset %d", command, next) }
}

// ShowFramed prints a text from others in its frame. name is that of the text in a warning.
func (a *App) ShowFramed(name string, got handoff.Stored, f handoff.Frame) error {
	text, flags := handoff.Framed(got, f)
	if line := handoff.Blocker(name, flags); line != "" {
		fmt.Fprintln(a.Stderr, line)
	}
	return a.Print(text)
}
