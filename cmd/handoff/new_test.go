//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// A form is write on a terminal, in a project of its own.
type form struct {
	*testing.T
	program, root, drafts string
	env                   []string
}

func newForm(t *testing.T) *form {
	f := &form{T: t, root: t.TempDir(), drafts: t.TempDir()}
	f.program = filepath.Join(released.in(t), "handoff")
	f.env = append(os.Environ(), "TMPDIR="+f.drafts, "HOME="+f.drafts, "HANDOFF_OPERATOR=ann", "VISUAL=", "EDITOR=false")
	return f
}

// types gives answers to new, and returns what is shown.
func (f *form) types(answers string, env []string, args ...string) (shown string, err error) {
	f.Helper()
	cmd := exec.Command(f.program, append([]string{"write", "--topic", "x", "--root", f.root}, args...)...)
	cmd.Env = slices.Concat(f.env, env)
	terminal, err := pty.Start(cmd)
	if err != nil {
		f.Skipf("no pseudo-terminal: %v", err)
	}
	defer terminal.Close()
	if _, err := io.WriteString(terminal, answers); err != nil {
		f.Fatal(err)
	}
	text, _ := io.ReadAll(terminal) // fails when the program has gone
	return string(text), cmd.Wait()
}

// left is what is there of texts that were not stored.
func (f *form) left() []string {
	names, _ := filepath.Glob(filepath.Join(f.drafts, "handoff-*")) // the pattern is good
	return names
}

// Whoever leaves the form or the editor leaves nothing behind, but for what was written.
func TestNewIsLeft(t *testing.T) {
	t.Parallel()
	f := newForm(t)
	code := filepath.Join(f.drafts, "code")
	if err := os.WriteFile(code, []byte("#!/bin/sh\n[ \"$1\" = --wait ] && echo Half of it. >>\"$2\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, answers, editor, shows string
		left                         int
	}{
		{"an interrupt in the form", "\x03", "EDITOR=true", "", 0},
		{"the end of the input", "\x04", "EDITOR=true", "", 0},
		{"an interrupt in the editor", "ben\n", "EDITOR=kill -INT 0; true", "nothing stored", 0},
		{"an editor that fails", "ben\n", "EDITOR=false", "the editor failed: exit status 1; nothing stored", 0},
		{"an editor that is not there", "ben\n", "EDITOR=no-such-editor -w", `no editor "no-such-editor -w"`, 0},
		{"an empty text", "ben\n", "EDITOR=: >", "the text was not changed", 0},
		{"an editor that fails after it was saved", "ben\n", `EDITOR=sh -c 'echo Half of it. >>"$1"; exit 1' sh`, "your text is kept: ", 0},
		{"an editor with arguments", "ben\n", "VISUAL=" + code + " --wait", "stored ", 0},
	} {
		shown, err := f.types(c.answers, []string{c.editor})
		isFine := c.shows == "stored " || c.what == "an empty text"
		if err == nil != isFine || !strings.Contains(shown, c.shows) {
			t.Errorf("%s: %v\n%s", c.what, err, shown)
		}
		if left := f.left(); len(left) != c.left {
			t.Errorf("%s leaves %v", c.what, left)
		}
	}
}
