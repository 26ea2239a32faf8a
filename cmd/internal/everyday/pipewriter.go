package everyday

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/term"
)

// A pipeWriter is an output whose reader may leave when it has seen enough. What is written after that goes nowhere, and
// the command goes on to its own end and exit code.
type pipeWriter struct {
	io.Writer
	left bool // the reader has left
}

func (o *pipeWriter) Write(text []byte) (int, error) {
	if o.left {
		return len(text), nil
	}
	n, err := o.Writer.Write(text)
	if o.left = errors.Is(err, syscall.EPIPE); o.left {
		return len(text), nil
	}
	return n, err
}

// direct returns what is behind a pipeWriter, for those who have to know whether anybody reads.
func direct(w io.Writer) io.Writer {
	if o, ok := w.(*pipeWriter); ok {
		return o.Writer
	}
	return w
}

// IsTerminal says whether a person sees what is written.
func IsTerminal(w io.Writer) bool {
	f, ok := direct(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// TerminalWidth is how many columns there are, 0 if nobody knows.
func TerminalWidth(w io.Writer) int {
	if f, ok := direct(w).(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}
