package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// A pipeWriter is an output whose reader can close the pipe. Later text is then dropped, and the command goes on to its
// end and exit code.
type pipeWriter struct {
	io.Writer
	terminal func() *os.File // the terminal of the output, nil if it is another file; asked for often

	instead io.Writer // gets the text that the output does not take; nil before a change was committed
	left    bool      // the reader has closed the pipe
}

func (o *pipeWriter) Write(text []byte) (int, error) {
	if !o.left {
		n, err := o.Writer.Write(text)
		if err == nil || o.instead == nil && !errors.Is(err, syscall.EPIPE) {
			return n, err
		}
		if o.left = true; o.instead != nil {
			fmt.Fprintf(o.instead, "handoff: done, but cannot write to standard output: %v; the output follows:\n", err)
		}
	}
	if o.instead != nil {
		return o.instead.Write(text)
	}
	return len(text), nil
}

// Committed records that the command has changed something. From now on, output that cannot be printed goes to standard
// error, and is no failure.
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
		o.instead = a.Stderr
	}
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
