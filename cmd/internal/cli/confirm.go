package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/seed-78daf238/handoff/lib/agent"
	"github.com/seed-78daf238/handoff/lib/fault"
)

// Confirm asks at a terminal. Without a terminal it returns true: the command line is the answer.
func (a *App) Confirm(question string) bool {
	if !a.CanAsk() {
		return true
	}
	answer, err := a.Ask(question + " [y/N] ")
	return err == nil && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"))
}

// ByPerson asks about an action that only a person at a terminal can confirm.
func (a *App) ByPerson(action, question string) error {
	if !a.CanAsk() || agent.Inside(a.Getenv) != "" {
		return fault.Denied("run it there", "%s needs a person at a terminal", action)
	}
	if !a.Confirm(question) {
		return Invalid("run it again, and answer y", "nothing was changed")
	}
	return nil
}

// Ask prints a question, and reads a line. The error is io.EOF at the end of the input.
func (a *App) Ask(question string) (answer string, err error) {
	if a.answers == nil {
		a.answers = bufio.NewReader(a.Stdin)
	}
	fmt.Fprint(a.Stderr, question)
	answer, err = a.answers.ReadString('\n')
	if err == io.EOF && answer != "" {
		err = nil
	}
	return strings.TrimSpace(answer), err
}

// CanAsk reports whether standard input and standard error are a terminal.
func (a *App) CanAsk() bool { return Terminal(a.Stdin) != nil && IsTerminal(a.Stderr) }
