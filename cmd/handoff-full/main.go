// Command handoff-full is the whole of handoff: what handoff becomes for what it does not do itself.
package main

import (
	"runtime"

	"github.com/seed-78daf238/handoff/cmd/internal/everyday"
	"github.com/seed-78daf238/handoff/cmd/internal/whole"
)

// The main goroutine keeps to one thread: see lib/handoff, which does its system calls on it.
func init() { runtime.LockOSThread() }

func main() { everyday.Main(whole.Program()) }
