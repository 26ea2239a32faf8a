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

// A form is new on a terminal, in a project of its own.
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
	cmd := exec.Command(f.program, append([]string{"new", "--root", f.root}, args...)...)
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

// On a terminal, new asks for what a record needs and the flags do not say.
func TestNewAsks(t *testing.T) {
	t.Parallel()
	f := newForm(t)
	f.env = append(f.env, "HANDOFF_OPERATOR=")
	answers := "ben\ncache\nSet up the runner\nMoved the secrets\n\nThe cache is cold\n\nThe old runner stays\n\nA slow first build\n\nBuild main once with the cache on\n"
	shown, err := f.types(answers, nil, "--kind", "packet", "--from", "ann", "--objective", "Warm the cache of the new runner")
	if err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	for _, question := range []string{"to: the recipient", "topic: ", "completed: ", "unresolved: ", "assumption: ", "risk: ", "next-action: "} {
		if !strings.Contains(shown, question) {
			t.Errorf("nothing asks %q:\n%s", question, shown)
		}
	}
	if strings.Contains(shown, "objective: ") {
		t.Errorf("what was said is asked again:\n%s", shown)
	}
	if out, err := exec.Command(f.program, "search", "--root", f.root, "Moved the secrets").CombinedOutput(); err != nil || !strings.Contains(string(out), "cache") {
		t.Errorf("%v: %s", err, out)
	}

	// A universal handoff of which all is said is made without a question: its topic is its workflow.
	shown, _ = f.types("\x04", nil, "--kind", "universal", "--from", "reader", "--to", "writer", "--workflow", "wf-1", "--phase", "p", "--summary", "s")
	if !strings.Contains(shown, "handed to writer") || strings.Contains(shown, "> ") {
		t.Errorf("something is asked:\n%s", shown)
	}
}

// What cannot be stored is asked again with its reason, before anybody writes a text.
func TestNewAsksAgain(t *testing.T) {
	t.Parallel()
	f := newForm(t)
	editor := []string{`EDITOR=sh -c 'printf "%s\n\nAll of it.\n" "# My Thing" >"$1"' sh`}
	shown, err := f.types("\nb n\nben\n!!\nA B\nno!\nfirst, second\n", editor)
	if err != nil || !strings.Contains(shown, "handed to ben: My Thing") {
		t.Fatalf("%v\n%s", err, shown)
	}
	for _, why := range []string{"from: ann", "a handoff needs a recipient", `"b n" is not an operator name`, `"!!" is not a topic`, `"no!" is not a tag`} {
		if !strings.Contains(shown, why) {
			t.Errorf("nothing says %q:\n%s", why, shown)
		}
	}
	if slugs, _ := filepath.Glob(filepath.Join(f.root, "handoffs", "*-ann-ben-a-b*.md")); len(slugs) != 1 {
		t.Errorf("the topic A B is in %v", slugs)
	}
	if shown, err = f.types("bne\nnext\n\nn\n", editor); err == nil || !strings.Contains(shown, "did you mean ben?") || !strings.Contains(shown, "nothing was done") {
		t.Errorf("a slip: %v\n%s", err, shown)
	}
	if shown, err = f.types("bne\nnext\n\ny\n", editor); err != nil || !strings.Contains(shown, "handed to bne") {
		t.Errorf("no slip: %v\n%s", err, shown)
	}
	if left := f.left(); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
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
		{"an interrupt in the form", "ben\n\x03", "EDITOR=true", "", 0},
		{"the end of the input", "ben\n\x04", "EDITOR=true", "no answer; nothing stored", 0},
		{"an interrupt in the editor", "ben\nx\n\n", "EDITOR=kill -INT 0; true", "nothing stored", 0},
		{"an editor that fails", "ben\nx\n\n", "EDITOR=false", "the editor failed: exit status 1; nothing stored", 0},
		{"an editor that is not there", "ben\nx\n\n", "EDITOR=no-such-editor -w", `no editor "no-such-editor -w"`, 0},
		{"an empty text", "ben\nx\n\n", "EDITOR=: >", "the text was not changed", 0},
		{"an editor that fails after it was saved", "ben\nx\n\n", `EDITOR=sh -c 'echo Half of it. >>"$1"; exit 1' sh`, "your text is kept in " + f.drafts, 1},
		{"an editor with arguments", "ben\nx\n\n", "VISUAL=" + code + " --wait", "handed to ben", 1},
	} {
		shown, err := f.types(c.answers, []string{c.editor})
		if err == nil != strings.Contains(c.shows, "handed to") || !strings.Contains(shown, c.shows) {
			t.Errorf("%s: %v\n%s", c.what, err, shown)
		}
		if left := f.left(); len(left) != c.left {
			t.Errorf("%s leaves %v", c.what, left)
		}
	}
}
