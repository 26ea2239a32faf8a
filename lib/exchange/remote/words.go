package remote

import (
	"cmp"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/form"
	"github.com/seed-78daf238/handoff/lib/internal/git"
)

const oldest = "2.32" // the first git that reads settings from where GIT_CONFIG_GLOBAL says

// answers are what git says, and what to do about it. The class of each is fault.ErrConfig.
var answers = []struct {
	words           []string
	problem, remedy string
}{
	{[]string{"Authentication failed", "could not read Username", "could not read Password",
		"terminal prompts disabled", "Permission denied", "ccess denied", "returned error: 401", "returned error: 403",
		"Host key verification failed", "invalid credentials", "nvalid username or"},
		"the remote does not let you in", "make `git ls-remote` with its URL work here, and run the command again"},
	{[]string{"mismatched algorithms", "hash algorithm", "object format"},
		"the remote has another object format than the project",
		"use one that was made with `git init --bare --object-format=FORMAT`: `handoff sync --remote NAME`"},
	{[]string{"does not appear to be a git repository", "not found", "does not exist", "not a git repository",
		"repository not exported", "returned error: 404", "No such file", "unable to find remote helper"},
		"there is no such remote", "look at `git remote -v`, and name one: `handoff sync --remote NAME`"},
	{[]string{"Read-only file system", "unable to create temporary object directory", "insufficient permission",
		"service not enabled"},
		"the remote cannot be written",
		"ask for the right to push there, or name another one: `handoff sync --remote NAME`"},
}

// unusable returns the error for a git that cannot work here at all, or err.
func unusable(err error) error {
	e, is := errors.AsType[*git.Error](err)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fault.Config("install git "+oldest+" or newer", "git is not installed")
	case errors.Is(err, git.ErrForeign):
		return fault.Config(foreign(e.Said), "the repository belongs to another user: %v", err)
	case is && e.Says("show-scope"):
		return fault.Config("install git "+oldest+" or newer", "git is too old")
	case is && !e.Late:
		return fault.Config("see what `git config --list` says here", "git cannot be used here: %s", said(e))
	}
	return err
}

// foreign returns how to trust the repository of somebody else, by the words of git here.
func foreign(words string) string {
	_, path, _ := strings.Cut(words, "safe.directory ")
	path, _, _ = strings.Cut(path, "\n")
	return "if you trust it, run `git config --global --add safe.directory " +
		cmp.Or(form.EscapeLine(path), "PATH") + "`"
}

// explain returns the error of a call to the remote, for the user. What is not local can say anything.
func (g *gitRemote) explain(err error) error {
	e, is := errors.AsType[*git.Error](err)
	switch {
	case !is || errors.Is(err, exec.ErrNotFound) || g.isPath && errors.Is(err, git.ErrForeign):
		return unusable(err)
	case e.Late:
		return fault.New(nil, "run it again when the remote answers", "the remote does not answer: %v", err)
	case e.Says("[remote rejected]") && !e.Says("unpacker error"):
		other := "refs/heads/handoff"
		if g.o.Namespace == other {
			other = "refs/heads/feature/handoff"
		}
		return fault.Config("if it forbids the names below "+g.o.Namespace+", set `sync_namespace: "+other+
			"`, or another one that it allows, in .handoff.yaml", "the remote refuses what was sent: %s", said(e))
	}
	for _, a := range answers {
		if e.Says(a.words...) {
			return fault.Config(a.remedy, "%s: %s", fault.Own(a.problem), said(e))
		}
	}
	return fault.New(nil, "run it again when the remote can be reached", "the remote cannot be reached: %s", said(e))
}

// said returns what the remote said, and then what git did, in at most ten lines without control characters and
// credentials.
func said(e *git.Error) string {
	credentials := regexp.MustCompile(`://[^/@\s]*@`)
	var remote, own []string
	for line := range strings.Lines(e.Output + e.Said) {
		line = form.EscapeLine(credentials.ReplaceAllString(strings.TrimSpace(line), "://"))
		line = strings.ToValidUTF8(line[:min(len(line), 300)], "")
		_, reason, isReason := strings.Cut(line, "[remote rejected] ")
		switch isNoise := func(prefix string) bool { return strings.HasPrefix(line, prefix) }; {
		case isReason:
			own = append(own, reason)
		case line == "" || line == "remote:" || slices.ContainsFunc(noise, isNoise):
		case strings.HasPrefix(line, "remote:"):
			remote = append(remote, line)
		default:
			own = append(own, line)
		}
	}
	if remote = append(remote, own...); len(remote) == 0 {
		return e.Error()
	}
	return strings.Join(remote[:min(len(remote), fault.Most)], "\n")
}

// noise are the beginnings of lines of git that help nobody.
var noise = []string{"hint:", "To ", "Done", "error: failed to push some refs", "Please make sure you have",
	"and the repository exists", "fatal: Could not read from remote"}
