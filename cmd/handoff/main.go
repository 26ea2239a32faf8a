// Command handoff stores documents that hand work over, lists them, and shows them to whoever they are for.
package main

import (
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
)

// The main goroutine keeps to one thread: see lib/handoff, which does its system calls on it.
func init() { runtime.LockOSThread() }

func main() {
	debug.SetGCPercent(400)        // most commands are over before collecting memory pays; see collectOften
	signal.Ignore(syscall.SIGPIPE) // a reader that is gone is an error like others, not a silent death after the commit
	os.Exit(run(env{os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv, os.Getwd}))
}
