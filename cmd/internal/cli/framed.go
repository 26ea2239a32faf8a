package cli

import (
	"fmt"
	"io"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// ReadOn returns a function that returns the command to read on from an offset.
func ReadOn(command string) func(next int) string {
	return func(next int) string { return fmt.Sprintf("%s --agent --offset %d", command, next) }
}

func (a *App) ShowFramed(got handoff.Stored, f handoff.Frame) error {
	text, flags, err := handoff.Framed(got, f)
	if err != nil {
		return err
	}
	if line := handoff.Blocker(got.Entry.ID, flags); line != "" {
		fmt.Fprintln(a.Stderr, line)
	}
	_, err = io.WriteString(a.Stdout, text)
	return err
}
