package cli

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"os/signal"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-78daf238/handoff/lib/agent"
)

// Paged shows output that does not fit the terminal in a pager: $PAGER or less. An empty value or cat turns the pager
// off, and so does a shell of an agent.
func (a *App) Paged(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		program := a.pager()
		if program == "" {
			return run(cmd, args)
		}
		var text bytes.Buffer
		out, terminal := a.Stdout.(*pipeWriter), Terminal(a.Stdout)
		out.Writer = &text
		err := run(cmd, args)
		out.Writer = terminal
		_, height, failed := term.GetSize(int(terminal.Fd()))
		fits := failed != nil || height <= 0 || bytes.Count(text.Bytes(), []byte("\n")) < height
		if !fits && page(program, text.Bytes(), terminal) == nil {
			return err
		}
		_, failed = out.Write(text.Bytes())
		return cmp.Or(err, failed)
	}
}

// pager returns the command of the pager, "" if the output goes to none.
func (a *App) pager() string {
	program := a.Getenv("PAGER")
	if _, set := os.LookupEnv("PAGER"); !set {
		program = cmp.Or(program, "less")
	}
	isOff := program == "cat" || a.JSON || a.Getenv("TERM") == "dumb" || agent.Inside(a.Getenv) != ""
	if _, isPipe := a.Stdout.(*pipeWriter); isOff || !isPipe || Terminal(a.Stdout) == nil || Terminal(a.Stdin) == nil {
		return ""
	}
	return program
}

// page runs a pager. It gets the signals of the keyboard.
func page(program string, text []byte, terminal *os.File) error {
	cmd := exec.Command("sh", "-c", program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), terminal, io.Discard
	cmd.Env = append(os.Environ(), "LESS="+cmp.Or(os.Getenv("LESS"), "FRX"))
	signal.Ignore(os.Interrupt)
	defer signal.Reset(os.Interrupt)
	return cmd.Run()
}
