package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/term"
)

// A pipeWriter is an output whose reader may leave when it has seen enough. What is written after that goes nowhere, and
// the command goes on to its own end and exit code.
type pipeWriter struct {
	io.Writer
	instead io.Writer // gets what the output does not take; nil before something was done that has to be told
	left    bool      // the output takes no more
}

func (o *pipeWriter) Write(text []byte) (int, error) {
	if !o.left {
		n, err := o.Writer.Write(text)
		if err == nil || o.instead == nil && !errors.Is(err, syscall.EPIPE) {
			return n, err
		}
		if o.left = true; o.instead != nil {
			fmt.Fprintf(o.instead, "handoff: it is done, but standard output takes no more: %v; it would have got:\n", err)
		}
	}
	if o.instead != nil {
		return o.instead.Write(text)
	}
	return len(text), nil
}

// Committed says that the command has changed something. That its output cannot be printed makes no difference to that:
// it goes to standard error then, and the command has done its work.
func (a *App) Committed() {
	if a.began != "" {
		a.Note("there were no handoffs here: a store was begun in " + a.began)
		a.began = ""
	}
	if o, ok := a.Stdout.(*pipeWriter); ok {
		o.instead = a.Stderr
	}
}

// HasReaderLeft reports whether standard output did not take all that was printed.
func (a *App) HasReaderLeft() bool {
	o, ok := a.Stdout.(*pipeWriter)
	return ok && o.left
}

// direct returns what is behind a pipeWriter, for those who have to know whether anybody reads.
func Direct(w io.Writer) io.Writer {
	if o, ok := w.(*pipeWriter); ok {
		return o.Writer
	}
	return w
}

// IsTerminal says whether a person sees what is written.
func IsTerminal(w io.Writer) bool { return Terminal(w) != nil }

// Terminal returns the terminal that an input or an output is, nil if it is none.
func Terminal(stream any) *os.File {
	if o, ok := stream.(*pipeWriter); ok {
		stream = o.Writer
	}
	if f, ok := stream.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// TerminalWidth is how many columns there are, 0 if nobody knows.
func TerminalWidth(w io.Writer) int {
	if f, ok := Direct(w).(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}
