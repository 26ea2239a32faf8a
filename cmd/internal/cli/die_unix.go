//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// dieOf ends the program by a signal that it has caught: its parent sees what has ended it, and a shell that
// was interrupted too stops. It returns the exit code that a shell makes of it, should the program live on.
func dieOf(s os.Signal) int {
	number, _ := s.(syscall.Signal)
	signal.Reset(s)
	if syscall.Kill(os.Getpid(), number) == nil {
		time.Sleep(time.Second) // another thread may be the one to get it
	}
	return 128 + int(number)
}
