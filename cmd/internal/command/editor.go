package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/fault"
)

// edited opens a text in the editor. It returns the new text and the file that keeps it until its directory is removed.
// If the text was not changed, the file is removed and the result is an error.
func edited(a *cli.App, start string) (text, path string, err error) {
	path, err = draftFile(start)
	if err != nil {
		return "", "", err
	}
	failed := edit(a, path)
	saved, err := cli.ReadInput(path)
	text = string(saved)
	switch {
	case err == nil && (strings.TrimSpace(text) == "" || text == start):
		os.RemoveAll(filepath.Dir(path))
		if failed == nil {
			failed = cli.Invalid("save a change in the editor", "the text was not changed; nothing stored")
		}
		return "", "", failed
	case failed != nil:
		return "", "", fmt.Errorf("%w; your text is kept in %s", failed, path)
	}
	return text, path, err
}

// draftFile creates the file to edit, in a new directory that only the user can enter.
func draftFile(start string) (string, error) {
	dir, err := os.MkdirTemp("", "handoff-")
	if err != nil {
		return "", fmt.Errorf("nothing was published: %w", err)
	}
	path := filepath.Join(dir, "handoff.md")
	return path, os.WriteFile(path, []byte(start), 0o600)
}

// edit runs the editor with a shell, since the variable may contain arguments. An interrupt from the keyboard goes to
// the editor only.
func edit(a *cli.App, path string) error {
	editor := editor(a)
	if editor == "" {
		return fault.Config("set EDITOR, or pipe the text to this command", "no editor found")
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.Stderr, a.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && (exit.ExitCode() == 126 || exit.ExitCode() == 127): // not found, or not executable
		return cli.Invalid("set VISUAL or EDITOR to an installed editor", "no editor %q; nothing stored", editor)
	case exit != nil:
		return cli.Invalid("", "the editor failed: %v; nothing stored", err)
	case err != nil:
		return fmt.Errorf("cannot run the editor; nothing stored: %w", err)
	}
	return nil
}

// editor returns the command of the user's editor, "" if there is none.
func editor(a *cli.App) string {
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
