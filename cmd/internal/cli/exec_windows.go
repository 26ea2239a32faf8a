package cli

import (
	"os"
	"os/exec"
)

// execute runs another program and exits with its exit code. It returns only on failure.
func execute(program string, args []string, stdin *os.File) error {
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if stdin != nil {
		cmd.Stdin = stdin
	}
	err := cmd.Run()
	if cmd.ProcessState != nil {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return err
}
