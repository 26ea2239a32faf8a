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

// A pager keeps what a command prints for a terminal, until the command ends.
type pager struct {
	to   *os.File // the terminal
	text bytes.Buffer
}

func (p *pager) Write(text []byte) (int, error) { return p.text.Write(text) }

// Paged shows output that does not fit the terminal in a pager: $PAGER or less. An empty value or cat turns the pager
// off, and so does a shell of an agent.
func (a *App) Paged(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		end := a.page()
		return cmp.Or(run(cmd, args), end())
	}
}

// page begins to keep the output. end prints it.
func (a *App) page() (end func() error) {
	program := a.Getenv("PAGER")
	if _, set := os.LookupEnv("PAGER"); !set {
		program = cmp.Or(program, "less")
	}
	o, isPipe := a.Stdout.(*pipeWriter)
	terminal := Terminal(a.Stdout)
	isOff := program == "" || program == "cat" || a.JSON || a.Getenv("TERM") == "dumb"
	if !isPipe || terminal == nil || Terminal(a.Stdin) == nil || isOff || agent.Inside(a.Getenv) != "" {
		return func() error { return nil }
	}
	p := &pager{to: terminal}
	o.Writer = p
	return func() error {
		o.Writer = terminal
		if !p.fits() && p.show(program) == nil {
			return nil
		}
		_, err := o.Write(p.text.Bytes())
		return err
	}
}

// fits reports whether the text fits the terminal, or its height is unknown.
func (p *pager) fits() bool {
	_, height, err := term.GetSize(int(p.to.Fd()))
	return err != nil || height <= 0 || bytes.Count(p.text.Bytes(), []byte("\n")) < height
}

// show runs the pager. The pager gets the signals of the keyboard.
func (p *pager) show(program string) error {
	cmd := exec.Command("sh", "-c", program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(p.text.Bytes()), p.to, io.Discard
	cmd.Env = append(os.Environ(), "LESS="+cmp.Or(os.Getenv("LESS"), "FRX"))
	signal.Ignore(os.Interrupt)
	defer signal.Reset(os.Interrupt)
	return cmd.Run()
}
