//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"

	"github.com/creack/pty"
)

// typed runs a command on a terminal of its own, on which the first argument is typed: onterminal TEXT COMMAND ARG…
// What it shows goes to standard output.
func typed() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	terminal, err := pty.Start(cmd)
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(terminal, os.Args[1]+"\n")
	_, _ = io.Copy(os.Stdout, terminal) // fails when the program has gone
	_ = cmd.Wait()
	os.Exit(cmd.ProcessState.ExitCode())
}
