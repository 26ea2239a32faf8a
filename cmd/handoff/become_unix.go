//go:build unix

package main

import (
	"os"
	"syscall"
)

// become replaces this process by another program: signals and the end of its input reach it alone. It
// returns only on failure.
func become(program string, args []string) error {
	return &os.PathError{Op: "exec", Path: program, Err: syscall.Exec(program, append([]string{program}, args...), os.Environ())}
}
