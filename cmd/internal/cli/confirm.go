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
	fmt.Fprint(a.Stderr, question+" [y/N] ")
	answer, err := bufio.NewReader(a.Stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return (err == nil || err == io.EOF) && (answer == "y" || answer == "yes")
}

// CanAsk reports whether standard input and standard error are a terminal.
func (a *App) CanAsk() bool { return Terminal(a.Stdin) != nil && IsTerminal(a.Stderr) }
