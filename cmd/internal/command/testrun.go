package command

import (
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	runs "github.com/seed-78daf238/handoff/lib/run"
)

// execute runs a command with sh, its output on standard error, and returns its result.
func execute(a *cli.App, command string) (runs.Command, error) {
	a.Note("running: " + command)
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdout, cmd.Stderr = a.Stderr, a.Stderr
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began).Milliseconds()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return runs.Command{}, fmt.Errorf("cannot run %q; nothing stored: %w", command, err)
	}
	code := int64(cmd.ProcessState.ExitCode())
	result := runs.Command{Command: command, Kind: "test", Result: "passed", ExitCode: &code, DurationMS: &took}
	if code != 0 {
		result.Result = "failed"
	}
	if code < 0 {
		result.Summary = cmd.ProcessState.String() // such as signal: killed
	}
	return result, nil
}
