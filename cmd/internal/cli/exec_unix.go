//go:build unix

package cli

import (
	"os"
	"syscall"
)

// execute replaces this process by another program: signals and the end of its input reach it alone. stdin, if there is
// one, becomes its standard input. It returns only on failure.
func execute(program string, args []string, stdin *os.File) error {
	if stdin != nil {
		if err := asStdin(stdin); err != nil {
			return err
		}
	}
	return &os.PathError{Op: "exec", Path: program, Err: syscall.Exec(program, append([]string{program}, args...), os.Environ())}
}
