package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A Call is one run of git, without a shell. Its settings prevent programs that a repository names, such as hooks.
// Time, memory and output are limited.
type Call struct {
	Dir     string   // where it runs
	Repo    string   // the repository, a bare one of this program; "" lets git find the one around Dir
	Args    []string // the command and its arguments
	Environ []string // the environment, from os.Environ; variables that redirect, trace or configure git are removed
	More    []string // added to it
	Stdin   io.Reader
	Limit   time.Duration // 0 means ten seconds: a busy machine can take one to start git
	Online  bool          // it speaks to a remote, and may run what the user named for that
	Asks    bool          // there is a terminal, on which it may ask for a password
}

// An Error describes how git failed.
type Error struct {
	Command string // such as push
	Said    string // its messages, which may be from another person
	Output  string
	Late    bool // it was stopped, since it took too long

	cause error
}

// Error returns the first part of git's message.
func (e *Error) Error() string {
	text := strings.TrimSpace(e.Said)
	if _, fatal, is := strings.Cut(text, "fatal: "); is {
		text = fatal
	}
	text, _, _ = strings.Cut(text, "\n")
	if e.Late || text == "" {
		text = e.cause.Error()
	}
	return fmt.Sprintf("git %s: %.300s", e.Command, text)
}

// Unwrap returns why git could not be run, or how it ended.
func (e *Error) Unwrap() error { return e.cause }

// Says reports whether git's messages contain one of the words. git has no exit code for each answer.
func (e *Error) Says(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(e.Said+e.Output, w) })
}

// Is reports whether err is ErrForeign, and git refuses a repository since it belongs to somebody else.
func (e *Error) Is(err error) bool {
	return err == ErrForeign && e.Says("dubious ownership", "owned by someone else")
}

// safely are the options of each git command.
const safely = `--no-optional-locks -c core.fsync=all -c core.fsmonitor=false -c core.hooksPath=/dev/null
-c safe.bareRepository=explicit -c log.showSignature=false -c protocol.ext.allow=never -c push.gpgSign=false
-c push.pushOption= -c http.lowSpeedLimit=1 -c http.lowSpeedTime=60 -c gc.autoDetach=false
-c maintenance.autoDetach=false`

// command returns the command of a call, and what ends its context.
func (c Call) command(ctx context.Context) (context.Context, *exec.Cmd, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Limit, 10*time.Second))
	args, more := strings.Fields(safely), c.More
	if c.Repo != "" { // whatever its file commondir says
		args, more = append(args, "--git-dir="+c.Repo), append(slices.Clip(more), "GIT_COMMON_DIR="+c.Repo)
	}
	cmd := exec.CommandContext(ctx, "git", append(args, c.Args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = c.Dir, append(c.environ(), more...), c.Stdin, 20*time.Second
	if !c.Asks {
		apart(cmd)
	}
	bind(cmd)
	return ctx, cmd, cancel
}

// Run runs git, and returns what it printed. Errors are an *Error.
func (c Call) Run(ctx context.Context) ([]byte, error) {
	ctx, cmd, cancel := c.command(ctx)
	defer cancel()
	out, said := &capped{max: 64 << 20}, &capped{max: 256 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Start()
	if err == nil {
		limit(cmd.Process.Pid)
		err = cmd.Wait()
	}
	if err == nil {
		return out.Bytes(), nil
	}
	return nil, &Error{Command: c.Args[0], Late: ctx.Err() != nil, Said: said.String(), Output: out.String(),
		cause: cmp.Or(ctx.Err(), err)}
}

// The variables of git that stay, by how they begin: those of a local call, and of one that speaks to a remote.
const (
	localKept  = "GIT_EXEC_PATH GIT_CONFIG_ GIT_DISCOVERY_"
	onlineKept = "GIT_EXEC_PATH GIT_ASKPASS GIT_SSH GIT_SSL_"
)

// environ returns the environment of git: that of the user, without the variables of git. A caller such as a hook
// points git to another repository with them, or makes it write in unexpected places.
func (c Call) environ() []string {
	env, kept := []string{"LC_ALL=C", "GIT_ALLOW_PROTOCOL=none"}, localKept
	if c.Online {
		env, kept = env[:1], onlineKept
	}
	for _, v := range c.Environ {
		name, _, _ := strings.Cut(v, "=")
		begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if begins("GIT_") && slices.ContainsFunc(strings.Fields(kept), begins) ||
			!begins("GIT_") && name != "LC_ALL" && name != "LANGUAGE" {
			env = append(env, v)
		}
	}
	if !c.Asks {
		env = append(env, "GIT_TERMINAL_PROMPT=0")
	}
	return env
}

// A capped buffer accepts at most max bytes.
type capped struct {
	bytes.Buffer
	max int
}

// Write appends p. If there is no room for it, it returns an error, which ends git.
func (c *capped) Write(p []byte) (int, error) {
	if c.Len()+len(p) > c.max {
		return 0, errors.New("it printed more than is read")
	}
	return c.Buffer.Write(p)
}
