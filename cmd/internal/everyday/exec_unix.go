//go:build unix

package everyday

import (
	"os"
	"syscall"
)

// Exec replaces this process by another program: signals and the end of its input reach it alone. It
// returns only on failure.
func Exec(program string, args []string) error {
	return &os.PathError{Op: "exec", Path: program, Err: syscall.Exec(program, append([]string{program}, args...), os.Environ())}
}
