package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// readEditor lets the user write the text in an editor. If it is left unchanged, there is no text.
func (w *Writing) readEditor() error {
	if w.To == "" && w.about == nil {
		if !w.CanAsk() {
			return Invalid("add --to NAME", "no recipient")
		}
		to, err := w.Ask("to: ")
		if err != nil || to == "" {
			return Invalid("add --to NAME", "no recipient; nothing stored")
		}
		w.To = to
		if err = w.prepareNames(); err == nil {
			err = w.tryFlags()
		}
		if err != nil {
			return err
		}
	}
	start, aside, err := w.shown()
	if err != nil {
		return err
	}
	written, err := w.edit(start, aside)
	if written == strings.TrimSpace(start) || written == "" {
		if err == nil {
			w.Note("the text was not changed; nothing stored")
		}
		return err
	}
	w.add([]byte(written + "\n"))
	return w.Kept(err, nil)
}

// shown returns the text that the editor begins with, and what stands below it in a comment: the recipient, and the
// text that it answers.
func (w *Writing) shown() (start, aside string, err error) {
	aside = "To " + cmp.Or(w.To, w.inherited().To) + ". The text above is stored, this comment is not.\n"
	if w.about == nil {
		return "", aside + "Where does it stand? What is open, what comes next, what to beware of?\n", nil
	}
	got, err := w.store.Read(w.about.ID)
	if err != nil || !w.isReply {
		return got.Body, aside, err
	}
	for line := range strings.Lines(strings.TrimRight(got.Body, "\n") + "\n") {
		aside += "> " + handoff.EscapeLine(strings.TrimRight(line, "\r\n")) + "\n"
	}
	return "", aside, nil
}

// The lines around the comment.
const (
	asideBegins = "<!-- handoff\n"
	asideEnds   = "-->\n"
)

// edit opens a text in the editor, above a comment, and returns the new text without it. If the editor fails, the
// error comes with what was written.
func (w *Writing) edit(start, aside string) (written string, err error) {
	dir, err := os.MkdirTemp("", "handoff-")
	if err != nil {
		return "", fmt.Errorf("nothing stored: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "handoff.md")
	if err := os.WriteFile(path, []byte(start+"\n"+asideBegins+aside+asideEnds), 0o600); err != nil {
		return "", fmt.Errorf("nothing stored: %w", err)
	}
	failed := w.runEditor(path)
	saved, err := ReadInput(path)
	before, rest, hasAside := strings.Cut(string(saved), asideBegins)
	if hasAside {
		_, after, _ := strings.Cut("\n"+rest, "\n"+asideEnds)
		before += after
	}
	return strings.TrimSpace(before), cmp.Or(failed, err)
}

// runEditor runs the editor with a shell, since the variable may contain arguments. An interrupt from the keyboard goes
// to the editor only.
func (w *Writing) runEditor(path string) error {
	editor := w.editor()
	if editor == "" {
		return Invalid("add -m TEXT, name a FILE, or set EDITOR", "no text, and no editor was found")
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.Stdin, w.Stderr, w.Stderr
	err := cmd.Run()
	exit, isExit := errors.AsType[*exec.ExitError](err)
	switch {
	case isExit && (exit.ExitCode() == 126 || exit.ExitCode() == 127): // not found, or not executable
		return Invalid("set VISUAL or EDITOR to an installed editor", "no editor %q; nothing stored", editor)
	case isExit:
		return Invalid("", "the editor failed: %v; nothing stored", err)
	case err != nil:
		return fmt.Errorf("cannot run the editor; nothing stored: %w", err)
	}
	return nil
}

// editor returns the command of the user's editor, "" if there is none.
func (w *Writing) editor() string {
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if editor := w.Getenv(variable); editor != "" {
			return editor
		}
	}
	for _, usual := range []string{"vi", "nano", "notepad"} {
		if _, err := exec.LookPath(usual); err == nil && w.CanAsk() {
			return usual
		}
	}
	return ""
}
