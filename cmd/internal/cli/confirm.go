package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Confirm asks on a terminal. Where nobody can answer, the command line is the answer.
func (a *App) Confirm(question string) bool {
	if !a.CanAsk() {
		return true
	}
	fmt.Fprint(a.Stderr, question+" [y/N] ")
	answer, err := bufio.NewReader(a.Stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return (err == nil || err == io.EOF) && (answer == "y" || answer == "yes")
}

// CanAsk reports whether somebody sits at a terminal, who can be asked and can answer.
func (a *App) CanAsk() bool {
	in, ok := a.Stdin.(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && IsTerminal(a.Stderr)
}
