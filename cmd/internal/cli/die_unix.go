//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// dieOf ends the program by a signal that it has caught, so that its parent and an interrupted shell see the signal. If
// the program survives, dieOf returns the exit code that a shell would report.
func dieOf(s os.Signal) int {
	number, _ := s.(syscall.Signal)
	signal.Reset(s)
	if syscall.Kill(os.Getpid(), number) == nil {
		time.Sleep(time.Second) // another thread may receive the signal
	}
	return 128 + int(number)
}
