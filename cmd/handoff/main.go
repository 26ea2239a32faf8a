// Command handoff stores documents that hand work over, lists them, and shows them to whoever they are for.
package main

import (
	"runtime"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
)

// The main goroutine keeps to one thread: see lib/handoff, which does its system calls on it.
func init() { runtime.LockOSThread() }

func main() { everyday.Main(nil) }
