package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Confirm asks at a terminal. Without a terminal it returns true: the command line is the answer.
func (a *App) Confirm(question string) bool {
	if !a.CanAsk() {
		return true
	}
	answer, err := a.Ask(question + " [y/N] ")
	return err == nil && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"))
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
