package git

import (
	"bytes"
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

// A Runner runs git in a bare repository of ours: without a shell, hooks, file system monitors,
// helpers for transports that are programs, or questions where nobody can answer. The configuration of
// the user counts, with their keys and credential helpers, that of a project never does.
type Runner struct {
	Dir     string   // the bare repository
	Environ []string // of the process, as os.Environ gives it; what aims git elsewhere is left out
	Asks    bool     // there is a terminal, on which git may ask for a password
	Hold    *os.File // stays open in what is run, so that a lock on it is held until all of it has ended; may be nil
}

// A Call is one run of git.
type Call struct {
	Args  []string
	Stdin io.Reader
	Limit time.Duration // 0 is a minute
	Max   int64         // bytes of output; 0 is 64 MiB
	Into  *os.File      // takes the output, however much it is, in the place of who calls; nil for none

	env []string // beside that of the runner
}

// An Error says how git ended.
type Error struct {
	Command string // such as push
	Code    int    // -1 if it was stopped or could not be started
	Text    string // what it has said last; it may be a stranger's
	Late    bool   // it was stopped since it took too long
	Output  []byte

	cause error
}

// Error is git's own first words, cut: they may hold what a remote said.
func (e *Error) Error() string {
	switch {
	case e.Late:
		return "git " + e.Command + " took too long"
	case e.Text != "":
		return "git " + e.Command + ": " + e.Text
	}
	return fmt.Sprintf("git %s: %v", e.Command, e.cause)
}

// Unwrap returns why git could not be run or how it ended.
func (e *Error) Unwrap() error { return e.cause }

// Says reports whether git's own words hold one of these. Git has no codes for what a server answers.
func (e *Error) Says(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(e.Text, w) })
}

// Refusal returns the error of a git that has done what it was asked to do, except for a part (exit code 1), and nil
// for any other error.
func Refusal(err error) *Error {
	if e := (*Error)(nil); errors.As(err, &e) && e.Code == 1 {
		return e
	}
	return nil
}

// safely are the options of each git.
const safely = `--no-optional-locks -c core.fsync=all -c core.fsmonitor=false -c core.hooksPath=/dev/null
-c safe.bareRepository=explicit -c protocol.ext.allow=never -c gc.autoDetach=false -c maintenance.auto=false
-c fetch.recurseSubmodules=no -c core.bigFileThreshold=16m -c http.lowSpeedLimit=1 -c http.lowSpeedTime=60
-c push.gpgSign=false -c push.followTags=false -c push.recurseSubmodules=no -c log.showSignature=false`

// Run runs git in the repository and returns what it has printed. Its errors are an *Error. A file commondir
// of the repository is not followed: it would bring the settings of another one.
func (r Runner) Run(ctx context.Context, c Call) ([]byte, error) {
	c.env = append(c.env, "GIT_COMMON_DIR="+r.Dir)
	return r.run(ctx, r.Dir, append([]string{"--git-dir=" + r.Dir}, c.Args...), c)
}

// Serving returns the arguments by which git serves a repository at a path without a program that the
// repository names: no hook, no filter, no transport for what it lacks. Git runs the words in a shell, and
// hides the settings of the caller from what it runs there.
func Serving(url, service string) []string {
	if _, isLocal := LocalPath(url); !isLocal {
		return nil
	}
	return []string{"--" + service + "=GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git -c core.fsync=all" +
		" -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true" +
		" -c receive.denyCurrentBranch=refuse -c receive.autogc=false " + service}
}

// IsOlder reports whether git is older than a version.
func (r Runner) IsOlder(ctx context.Context, major, minor int) (bool, error) {
	out, err := r.run(ctx, r.Dir, []string{"version"}, Call{Args: []string{"version"}, Limit: 5 * time.Second})
	var first, second int
	if _, scanErr := fmt.Sscanf(string(out), "git version %d.%d", &first, &second); err == nil && scanErr != nil {
		return true, nil
	}
	return first < major || first == major && second < minor, err
}

// IsMissing reports whether there is no git.
func (e *Error) IsMissing() bool { return errors.Is(e.cause, exec.ErrNotFound) }

// IsOld reports whether git does not know what it was asked for, as one that is too old (usage errors end
// with 129).
func (e *Error) IsOld() bool { return e.Code == 129 }

// Remote returns the URL of a remote as the repository of a work tree has it, "" if it has none. A
// path is absolute. The error is that it cannot be known.
func (r Runner) Remote(ctx context.Context, top, name string) (string, error) {
	args := []string{"config", "--get", "remote." + name + ".url"}
	out, err := r.run(ctx, top, args, Call{Args: args, Limit: 5 * time.Second})
	if err != nil && Refusal(err) == nil {
		return "", err
	}
	url := strings.TrimSpace(string(out))
	if path, ok := LocalPath(url); ok && url != "" && !strings.HasPrefix(url, "file:") && !filepath.IsAbs(path) {
		return filepath.Join(top, path), nil
	}
	return url, nil
}

// LocalPath returns the path that a URL of a remote is, if it is one (git-fetch(1), "GIT URLS").
func LocalPath(url string) (path string, ok bool) {
	if path, ok := strings.CutPrefix(url, "file://"); ok {
		return path, true
	}
	colon, slash := strings.IndexByte(url, ':'), strings.IndexByte(url, '/')
	return url, colon < 0 || slash >= 0 && slash < colon
}

// run runs git without a shell, with settings that keep it from running programs which a repository names,
// for a limited time and with limited output.
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
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = dir, append(r.environ(), c.env...), c.Stdin, 2*time.Second
	if !r.Asks { // only the group in the foreground may ask
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
	e := &Error{Command: c.Args[0], Code: -1, Text: lastWords(said.String()), Late: isLate, Output: out.Bytes(), cause: err}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		e.Code = exit.ExitCode()
	}
	if errors.Is(err, errTooMuch) {
		e.Text = "it printed more than is read"
	}
	return nil, e
}

// elsewhere are the variables by which a caller, such as a hook, aims git at another repository, or
// has it write where it is not expected.
const elsewhere = `GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_NAMESPACE
GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_PREFIX GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_NO_REPLACE_OBJECTS
GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE GIT_INTERNAL_SUPER_PREFIX GIT_QUARANTINE_PATH GIT_DEFAULT_HASH
GIT_DEFAULT_REF_FORMAT GIT_TEMPLATE_DIR GIT_CONFIG GIT_EXTERNAL_DIFF GIT_ALLOW_PROTOCOL GIT_PROTOCOL_FROM_USER
LC_ALL LANGUAGE`

// environ is the environment of git: that of the user, without what would make it look elsewhere, trace, or
// ask where nobody answers.
func (r Runner) environ() []string {
	env, aims := []string{"LC_ALL=C", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"}, strings.Fields(elsewhere)
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

// lastWords is what git has said was fatal, or its last line; where all that was fatal is that nothing came
// from a remote, what ssh has said before.
func lastWords(text string) (words string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, kind := range []string{"fatal: ", "error: "} {
			if rest, ok := strings.CutPrefix(line, kind); ok && words != "" && strings.HasPrefix(rest, "Could not read from remote") {
				return cut(words)
			} else if ok {
				return cut(rest)
			}
		}
		if line != "" {
			words = line
		}
	}
	return cut(words)
}

// cut is as much of what git says as a message may have.
func cut(text string) string { return text[:min(len(text), 300)] }

var errTooMuch = errors.New("too much output")

// A capped buffer takes so many bytes. More is an error, or dropped.
type capped struct {
	bytes.Buffer
	max  int64
	drop bool
}

// Write takes what fits. What goes beyond is dropped where only the beginning matters, and else ends git.
func (c *capped) Write(p []byte) (int, error) {
	if int64(c.Len()+len(p)) <= c.max {
		return c.Buffer.Write(p)
	}
	if !c.drop {
		return 0, errTooMuch
	}
	return len(p), nil
}
