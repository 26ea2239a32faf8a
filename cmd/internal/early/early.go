//go:build unix

// Package early ends the hook of a prompt or a tool that has no news, before most packages initialize: their tables and
// regular expressions take half of such a run, and agents wait for it all the time. It works because it imports little:
// Go initializes packages in the order of their paths, each after its imports.
package early

import (
	"bytes"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed-78daf238/handoff/lib/agent/heard"
)

// Stdin is standard input from its beginning, also if the hook has read some of it.
var Stdin io.Reader = os.Stdin

func init() {
	h, isHook := heard.ParseHook(os.Args[1:])
	if !isHook || h.Event != "prompt" && h.Event != "tool" {
		return
	}
	cwd, err := os.Getwd()
	if err != nil {
		return
	}
	var read bytes.Buffer
	stdin := io.TeeReader(patient{time.Now().Add(heard.Wait)}, &read)
	if _, _, _, must := heard.Listen(stdin, 0, os.Getenv, h.Agent, h.To, cwd); !must {
		os.Exit(0)
	}
	Stdin = io.MultiReader(&read, os.Stdin)
}

// A patient reads standard input until a time. A timer of the runtime would take a tenth of the run.
type patient struct{ until time.Time }

func (p patient) Read(b []byte) (int, error) {
	ready := []unix.PollFd{{Fd: int32(os.Stdin.Fd()), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(ready, int(max(0, time.Until(p.until).Milliseconds())))
		switch {
		case n > 0:
			return os.Stdin.Read(b)
		case err != unix.EINTR:
			return 0, os.ErrDeadlineExceeded
		}
	}
}
