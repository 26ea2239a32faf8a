// Package scripted runs the programs for scripts. Three variables let a script be somewhere else, or at another time; the
// released programs know none of them.
package scripted

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// Main is the main function of a program for scripts. Its session hooks have a minute, however busy the machine is.
func Main(program cli.Program) {
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(cli.Run(cli.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Getwd: os.Getwd,
		Executable: os.Executable, Options: options, Patience: time.Minute}, program))
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
