// Command handoff is the program for scripts. Four variables let a script be somewhere else, at another time, or less
// patient; the released program knows none of them. Its session hooks have a minute, however busy the machine is, or
// TEST_PATIENCE.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/cmd/internal/command"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

func main() {
	signal.Ignore(syscall.SIGPIPE)
	patience, err := time.ParseDuration(os.Getenv("TEST_PATIENCE"))
	if err != nil {
		patience = time.Minute
	}
	os.Exit(cli.Run(cli.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Getwd: os.Getwd,
		Executable: os.Executable, Options: options, Patience: patience}, command.Program()))
}

func options(o *handoff.Options) {
	if text := os.Getenv("TEST_NOW"); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(err)
		}
		o.Now = func() time.Time { return at }
	}
	if name := os.Getenv("TEST_MACHINE"); name != "" {
		o.Fingerprint = func() (string, error) { return fmt.Sprintf("%064x", []byte(name)), nil }
	}
	if os.Getenv("LOA_HANDOFF_DISABLE_FINGERPRINT") != "" {
		o.Fingerprint = func() (string, error) { return fmt.Sprintf("%064d", 0), nil }
	}
}
