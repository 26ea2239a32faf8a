package records

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
)

// edited returns what a person makes of a text in the editor, and the file that keeps it until its directory is removed. A text
// that was left as it was, also by an editor that failed, is nobody's work, and does not stay.
func (a *app) edited(start string) (text, path string, err error) {
	path, err = draftFile(start)
	if err != nil {
		return "", "", err
	}
	failed := a.edit(path)
	saved, err := cli.ReadInput(path)
	text = string(saved)
	switch {
	case err == nil && (strings.TrimSpace(text) == "" || text == start):
		os.RemoveAll(filepath.Dir(path))
		if failed == nil {
			failed = cli.Invalid("save a text in the editor", "nothing was written: it was left as it was")
		}
		return "", "", failed
	case failed != nil:
		return "", "", fmt.Errorf("%w; your text is kept in %s", failed, path)
	}
	return text, path, err
}

// draftFile makes the file to edit in a directory of its own, which only the caller can enter.
func draftFile(start string) (string, error) {
	dir, err := os.MkdirTemp("", "handoff-")
	if err != nil {
		return "", fmt.Errorf("nothing was published: %w", err)
	}
	path := filepath.Join(dir, "handoff.md")
	return path, os.WriteFile(path, []byte(start), 0o600)
}

// edit runs the editor as a shell would, so that its variable may hold arguments. An interrupt from the keyboard is the editor's.
func (a *app) edit(path string) error {
	editor := a.editor()
	if editor == "" {
		return &handoff.Error{Class: handoff.ErrConfig, Problem: "no editor is set", Advice: "set VISUAL or EDITOR, or use `handoff write -`"}
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.Stderr, a.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && (exit.ExitCode() == 126 || exit.ExitCode() == 127): // as a shell says so
		return cli.Invalid("set VISUAL or EDITOR to one that is there", "nothing was published: there is no editor %q", editor)
	case exit != nil:
		return cli.Invalid("", "nothing was published: the editor ended with %v", err)
	case err != nil:
		return fmt.Errorf("nothing was published: the editor cannot be run: %w", err)
	}
	return nil
}

// editor is the command that a person edits with, "" if there is none.
func (a *app) editor() string {
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if editor := a.Getenv(variable); editor != "" {
			return editor
		}
	}
	for _, usual := range []string{"vi", "nano", "notepad"} {
		if _, err := exec.LookPath(usual); err == nil && a.CanAsk() {
			return usual
		}
	}
	return ""
}
