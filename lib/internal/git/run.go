package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Runner runs git in a bare repository of this program. It uses no shell, hooks, file system monitors or transport
// programs, and asks no questions without a terminal. The user's configuration applies, with keys and credential
// helpers. The configuration of a project never applies.
type Runner struct {
	Dir     string   // the bare repository
	Environ []string // the environment, from os.Environ; variables that redirect git are removed
	Asks    bool     // git can ask for a password, on a terminal
	Hold    *os.File // inherited by all processes, so that a lock on it is held until they end; may be nil
}

// A Call is one run of git.
type Call struct {
	Args  []string
	Stdin io.Reader
	Limit time.Duration // 0 means a minute
	Max   int64         // bytes of output; 0 means 64 MiB
	Into  *os.File      // receives the output without limit, instead of the caller; may be nil

	env []string // added to that of the runner
}

// An Error describes how git failed.
type Error struct {
	Command string // such as push
	Code    int    // -1 if it was killed or could not be started
	Text    string // its last message, which may be from another person
	Late    bool   // it was killed because it took too long
	Output  []byte

	said  string // all of its messages
	cause error
}

// Error returns the first part of git's message, which may contain text of a remote.
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

// Says reports whether git's messages contain one of the words. git has no exit codes for answers of a server.
func (e *Error) Says(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(e.said, w) })
}

// Refusal returns the error of a git that succeeded except for a part (exit code 1), and nil for other errors.
func Refusal(err error) *Error {
	if e, is := errors.AsType[*Error](err); is && e.Code == 1 {
		return e
	}
	return nil
}

// safely are the options of each git command. More compression takes longer than it saves.
const safely = `--no-optional-locks -c core.fsync=all -c core.fsmonitor=false -c core.hooksPath=/dev/null
-c safe.bareRepository=explicit -c protocol.ext.allow=never -c gc.autoDetach=false -c maintenance.auto=false
-c fetch.recurseSubmodules=no -c core.bigFileThreshold=16m -c core.compression=4
-c http.lowSpeedLimit=1 -c http.lowSpeedTime=60
-c fetch.unpackLimit=1 -c push.gpgSign=false -c push.followTags=false -c push.recurseSubmodules=no
-c log.showSignature=false`

// Run runs git in the repository and returns its output. Errors are an *Error. The file commondir of the repository
// is ignored: it would apply the settings of another one.
func (r Runner) Run(ctx context.Context, c Call) ([]byte, error) {
	c.env = append(c.env, "GIT_COMMON_DIR="+r.Dir)
	return r.run(ctx, r.Dir, append([]string{"--git-dir=" + r.Dir}, c.Args...), c)
}

// Serving returns arguments with which git serves a local repository without running programs that the repository
// names: no hook, no filter, no transport for missing objects. It does not look for deltas, which takes longer than to
// send more. git runs the words in a shell, and hides the caller's settings from it.
func Serving(url, service string) []string {
	if _, isLocal := LocalPath(url); !isLocal {
		return nil
	}
	return []string{"--" + service + "=GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git -c core.fsync=all" +
		" -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true" +
		" -c receive.denyCurrentBranch=refuse -c receive.autogc=false -c pack.window=0 -c pack.compression=1 " +
		service}
}

// IsOlder reports whether git is older than a version.
func (r Runner) IsOlder(ctx context.Context, major, minor int) (bool, error) {
	out, err := r.run(ctx, r.Dir, []string{"version"}, Call{Args: []string{"version"}})
	var first, second int
	if _, scanErr := fmt.Sscanf(string(out), "git version %d.%d", &first, &second); err == nil && scanErr != nil {
		return true, nil
	}
	return first < major || first == major && second < minor, err
}

// IsMissing reports whether git is not installed.
func (e *Error) IsMissing() bool { return errors.Is(e.cause, exec.ErrNotFound) }

// IsOld reports whether git does not know an option or command, because it is too old (usage errors exit with 129).
func (e *Error) IsOld() bool { return e.Code == 129 }

// Remote returns the URL of a remote in the repository of a work tree, "" if there is none. A relative path becomes
// absolute. An error means that git could not answer.
func (r Runner) Remote(ctx context.Context, top, name string) (string, error) {
	args := []string{"config", "--get", "remote." + name + ".url"}
	out, err := r.run(ctx, top, args, Call{Args: args})
	if err != nil && Refusal(err) == nil {
		return "", err
	}
	url := strings.TrimSpace(string(out))
	if path, ok := LocalPath(url); ok && url != "" && !strings.HasPrefix(url, "file:") && !filepath.IsAbs(path) {
		return filepath.Join(top, path), nil
	}
	return url, nil
}

// LocalPath returns the path in the URL of a remote, if it is local (git-fetch(1), "GIT URLS").
func LocalPath(url string) (path string, ok bool) {
	if path, ok := strings.CutPrefix(url, "file://"); ok {
		return path, true
	}
	colon, slash := strings.IndexByte(url, ':'), strings.IndexByte(url, '/')
	return url, colon < 0 || slash >= 0 && slash < colon
}

// run runs git without a shell. Its settings prevent programs that a repository names. Time and output are limited.
func (r Runner) run(ctx context.Context, dir string, args []string, c Call) ([]byte, error) {
	if c.Limit == 0 {
		c.Limit = time.Minute
	}
	if c.Max == 0 {
		c.Max = 64 << 20
	}
	limited, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	cmd := exec.CommandContext(limited, "git", append(strings.Fields(safely), args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = dir, append(r.environ(), c.env...), c.Stdin, 20*time.Second
	if !r.Asks { // only the foreground group can ask
		inGroup(cmd)
	}
	if r.Hold != nil {
		cmd.ExtraFiles = []*os.File{r.Hold}
	}
	out, said := &capped{max: c.Max}, &capped{max: 64 << 10, drop: true}
	cmd.Stdout, cmd.Stderr = out, said
	if c.Into != nil {
		cmd.Stdout = c.Into
	}
	err := cmd.Start()
	if err == nil {
		limit(cmd.Process.Pid)
		err = cmd.Wait()
	}
	if err == nil {
		return out.Bytes(), nil
	}
	isLate := limited.Err() != nil && ctx.Err() == nil
	e := &Error{Command: c.Args[0], Code: -1, Text: lastWords(said.String()), Late: isLate, Output: out.Bytes(),
		said: said.String(), cause: err}
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

// environ returns the environment of git: that of the user, without variables that redirect, trace, or ask without a
// terminal.
func (r Runner) environ() []string {
	env, aims := []string{"LC_ALL=C", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"}, strings.Fields(redirects)
	for _, v := range r.Environ {
		name, _, _ := strings.Cut(v, "=")
		asks := name == "GIT_ASKPASS" || name == "SSH_ASKPASS" || name == "GIT_TERMINAL_PROMPT"
		if !slices.Contains(aims, name) && !strings.HasPrefix(name, "GIT_TRACE") && (r.Asks || !asks) {
			env = append(env, v)
		}
	}
	if !r.Asks {
		env = append(env, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never")
	}
	return env
}

// lastWords returns the first error of git or of the remote, or git's last line. If that error gives no reason, it
// returns the message before it, which may be from ssh, or the next error.
func lastWords(text string) string {
	var words, vague string
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "remote: ")
		rest, isFatal := strings.CutPrefix(line, "fatal: ")
		rest, isError := strings.CutPrefix(rest, "error: ")
		switch isFailure := isFatal || isError; {
		case isFailure && !isVague(rest):
			return cut(rest)
		case isFailure && words != "":
			return cut(words)
		case isFailure:
			vague = cmp.Or(vague, rest)
		case line != "" && vague == "":
			words = line
		}
	}
	return cut(cmp.Or(vague, words))
}

// isVague reports whether an error of git only says that another program failed.
func isVague(failure string) bool {
	return strings.HasPrefix(failure, "Could not read from remote") ||
		strings.HasPrefix(failure, "the remote end hung") || strings.HasSuffix(failure, "abnormal exit")
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
