package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A call is one run of git.
type call struct {
	args    []string
	environ []string // the environment, from os.Environ; variables that redirect git are removed
	more    []string // added to it
}

// An Error describes how git failed.
type Error struct {
	Command string // such as push
	Code    int    // -1 if it was killed or could not be started
	Text    string // its last message, which may be from another person
	Late    bool   // it was killed because it took too long

	said  string // all of its messages
	cause error
}

// Error returns the first part of git's message.
func (e *Error) Error() string {
	switch {
	case e.Late:
		return "git " + e.Command + " took too long"
	case e.Text != "":
		return "git " + e.Command + ": " + e.Text
	}
	return fmt.Sprintf("git %s: %v", e.Command, e.cause)
}

// Unwrap returns why git could not be run, or how it ended.
func (e *Error) Unwrap() error { return e.cause }

// Says reports whether git's messages contain one of the words. git has no exit code for each answer.
func (e *Error) Says(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(e.said, w) })
}

// safely are the options of each git command.
const safely = `--no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null
-c safe.bareRepository=explicit -c log.showSignature=false`

// run runs git without a shell. Its settings prevent programs that a repository names. Time and output are limited.
// Errors are an *Error.
func run(ctx context.Context, dir string, c call) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, mostPatient)
	defer cancel()
	cmd := exec.CommandContext(limited, "git", append(strings.Fields(safely), c.args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(environ(c.environ), c.more...), 20*time.Second
	inGroup(cmd)
	out, said := &capped{max: 64 << 20}, &capped{max: 64 << 10, drop: true}
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	isLate := limited.Err() != nil && ctx.Err() == nil
	e := &Error{Command: c.args[0], Code: -1, Text: lastWords(said.String()), Late: isLate, said: said.String(),
		cause: err}
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		e.Code = exit.ExitCode()
	}
	if errors.Is(err, errTooMuch) {
		e.Text = "it printed more than is read"
	}
	return nil, e
}

// redirects are the variables with which a caller, such as a hook, points git to another repository, or makes it
// write in unexpected places.
const redirects = `GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_NAMESPACE
GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_PREFIX GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_NO_REPLACE_OBJECTS
GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE GIT_INTERNAL_SUPER_PREFIX GIT_QUARANTINE_PATH GIT_DEFAULT_HASH
GIT_DEFAULT_REF_FORMAT GIT_TEMPLATE_DIR GIT_CONFIG GIT_EXTERNAL_DIFF GIT_ALLOW_PROTOCOL GIT_PROTOCOL_FROM_USER
LC_ALL LANGUAGE`

// environ returns the environment of git: that of the user, without variables that redirect, trace or ask.
func environ(of []string) []string {
	env, aims := []string{"LC_ALL=C"}, strings.Fields(redirects)
	for _, v := range of {
		name, _, _ := strings.Cut(v, "=")
		asks := name == "GIT_ASKPASS" || name == "SSH_ASKPASS" || name == "GIT_TERMINAL_PROMPT"
		if !slices.Contains(aims, name) && !strings.HasPrefix(name, "GIT_TRACE") && !asks {
			env = append(env, v)
		}
	}
	return append(env, "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never")
}

// lastWords returns the first error of git, or its last line.
func lastWords(text string) (words string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		rest, isFatal := strings.CutPrefix(line, "fatal: ")
		if rest, isError := strings.CutPrefix(rest, "error: "); isFatal || isError {
			return cut(rest)
		}
		if line != "" {
			words = line
		}
	}
	return cut(words)
}

// cut shortens text of git for a message.
func cut(text string) string { return text[:min(len(text), 300)] }

var errTooMuch = errors.New("too much output")

// A capped buffer accepts at most max bytes. More is dropped, or an error.
type capped struct {
	bytes.Buffer
	max  int64
	drop bool
}

// Write appends p if it fits. Otherwise it drops p, or returns an error, which ends git.
func (c *capped) Write(p []byte) (int, error) {
	if int64(c.Len()+len(p)) <= c.max {
		return c.Buffer.Write(p)
	}
	if !c.drop {
		return 0, errTooMuch
	}
	return len(p), nil
}
