//go:build unix

package cli

import (
	"os"
	"syscall"
)

// execute replaces this process by another program, which then gets all signals. If stdin is not nil, it becomes
// standard input. execute returns only on failure.
func execute(program string, args []string, stdin *os.File) error {
	if stdin != nil {
		if err := asStdin(stdin); err != nil {
			return err
		}
	}
	return &os.PathError{Op: "exec", Path: program, Err: syscall.Exec(program, append([]string{program}, args...),
		os.Environ())}
}
