package cli

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A pipeWriter is an output whose reader can close the pipe. Later text is then dropped, and the command goes on to its
// end and exit code.
type pipeWriter struct {
	io.Writer
	terminal func() *os.File // the terminal of the output, nil if it is another file; asked for often

	committed bool // the command has changed something
	left      bool // the reader has closed the pipe
}

func (o *pipeWriter) Write(text []byte) (int, error) {
	if o.left {
		return len(text), nil
	}
	n, err := o.Writer.Write(text)
	if o.left = errors.Is(err, syscall.EPIPE); o.left {
		return len(text), nil
	}
	if err != nil && o.committed {
		err = fault.New(nil, "", "done, but the answer cannot be printed: %v", err)
	}
	return n, err
}

// Committed records that the command has changed something. An error says so if the answer cannot be printed.
func (a *App) Committed() {
	if a.began != "" {
		a.Note("created a new store in " + a.began)
		a.began = ""
		p, _ := a.Project()
		if me := p.Identity(); strings.HasPrefix(me.Source, "git ") {
			a.Note("you are " + me.Operator + ", from git; `handoff init` changes it")
		}
	}
	if o, ok := a.Stdout.(*pipeWriter); ok {
		o.committed = true
	}
	a.SyncSoon()
}

// HasLeft reports whether the reader of the output has closed the pipe.
func (a *App) HasLeft() bool {
	o, ok := a.Stdout.(*pipeWriter)
	return ok && o.left
}

// Direct returns the writer of a pipeWriter, whose errors tell whether the reader has left.
func Direct(w io.Writer) io.Writer {
	if o, ok := w.(*pipeWriter); ok {
		return o.Writer
	}
	return w
}

// IsTerminal reports whether an output is a terminal.
func IsTerminal(w io.Writer) bool { return Terminal(w) != nil }

// Terminal returns the file of an input or output that is a terminal, otherwise nil.
func Terminal(stream any) (found *os.File) {
	if o, ok := stream.(*pipeWriter); ok {
		return o.terminal()
	}
	f, _ := stream.(*os.File)
	if raw, err := f.SyscallConn(); err == nil { // Fd would make readers of f wait for good
		raw.Control(func(fd uintptr) {
			if term.IsTerminal(int(fd)) {
				found = f
			}
		})
	}
	return found
}

// TerminalWidth returns the number of columns, 0 if it is unknown.
func TerminalWidth(w io.Writer) int {
	if f := Terminal(w); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 0
}
