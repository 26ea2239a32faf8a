// Package work compares the work that a handoff records with the work as it is now: the commit, its branch, and
// files by their SHA-256. If something cannot be compared, the comparison does not pass.
//
// The writers of the handoff and of the repository can be hostile. Only files below the root of the project are
// read, and git is asked only questions that run nothing ([git.Tree]).
package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/git"
	"github.com/seed-78daf238/handoff/lib/relation"
)

// A Tree is the work of a project.
type Tree struct {
	git git.Tree
}

// At returns the work below root, an absolute path. environ is the environment of the process, as in os.Environ.
func At(root string, environ []string) Tree { return Tree{git.Tree{Dir: root, Environ: environ}} }

// Without returns the work without a directory: the handoffs themselves are not the work.
func (t Tree) Without(dir string) Tree {
	t.git.Skip = dir
	return t
}

// A Verdict is the result of comparing the work with a handoff.
type Verdict struct {
	Pass   bool     `json:"pass"`
	Reason string   `json:"reason"`          // without quoted text
	Files  []string `json:"files,omitempty"` // the changed files; the names come from the sender
	Advice string   `json:"advice,omitempty"`
}

// Line returns the verdict as a line, or "" if nothing was compared.
func (v Verdict) Line() string {
	if v.Reason == "" {
		return ""
	}
	return "Work: " + v.Reason
}

const mostCommits = 4 // the maximum number of commits to compare

// Compare compares the commits and files of references with the work. If there are none, the Verdict is zero. It takes
// some milliseconds for each commit, and the time to read the files.
func (t Tree) Compare(ctx context.Context, said relation.Set) Verdict {
	if len(said.Git)+len(said.Files) == 0 {
		return Verdict{}
	}
	c := comparing{Tree: t, ctx: ctx, said: said, files: t.compareFiles(said.Files)}
	for _, commit := range said.Git[:min(len(said.Git), mostCommits)] {
		c.commit(commit)
	}
	if more := len(said.Git) - mostCommits; more > 0 {
		c.fails(fmt.Sprintf("%s not compared", fault.Count(more, "commit")), "")
	}
	return c.verdict()
}

// Of compares the work with references, like Compare.
func (t Tree) Of(ctx context.Context, references []string) Verdict {
	return t.Compare(ctx, relation.Of(references))
}

// A comparing is the state of a comparison.
type comparing struct {
	Tree
	ctx     context.Context
	said    relation.Set
	files   filesResult
	age     string   // how far the work has moved since the oldest commit
	since   int      // commits since the oldest one
	touched int      // those that change the files
	faults  []string // without quoted text
	advice  string
}

// fails records a fault. The advice for the first fault is the verdict's.
func (c *comparing) fails(what, advice string) {
	c.faults = append(c.faults, what)
	if c.advice == "" {
		c.advice = advice
	}
}

const lookAgain = "Find out how the work changed since, then ask the sender whether the handoff is still valid."

// commit compares a commit with the checked-out one.
func (c *comparing) commit(f relation.Form) {
	n, ancestor, err := c.git.Since(c.ctx, f.Commit)
	if errors.Is(err, git.ErrUnknown) {
		if _, _, none := c.git.Head(c.ctx); none != nil {
			err = none // without a repository no commit is known
		}
	}
	switch {
	case errors.Is(err, git.ErrUnknown):
		c.fails("its commit is unknown here", "Fetch the commit that the handoff names, or ask the sender where it is.")
		return
	case err != nil:
		c.gitFailed(err)
		return
	case !ancestor:
		c.fails("its commit is not an ancestor of what is checked out",
			"Check out the branch of the handoff, or ask the sender where it is.")
		return
	}
	if n >= c.since {
		c.since, c.age = n, "at its commit"
	}
	if n > 0 && n >= c.since {
		c.age = fault.Count(n, "commit") + " since"
		c.touched = c.touching(f.Commit)
	}
}

// touching returns how many of the commits since change the files, or -1 if unknown.
func (c *comparing) touching(commit string) int {
	if len(c.files.paths) == 0 {
		return -1
	}
	n, err := c.git.Touching(c.ctx, commit, c.files.paths)
	if err != nil {
		return -1
	}
	return n
}

// gitFailed records an error of git.
func (c *comparing) gitFailed(err error) {
	late := (*git.Error)(nil)
	switch {
	case errors.Is(err, git.ErrForeign):
		c.fails("not checked, the repository belongs to another user",
			"If you trust it, run `git config --global --add safe.directory` with the path of its work tree, and "+
				"check again.")
	case errors.Is(err, exec.ErrNotFound):
		c.fails("not checked, git is not installed", "Install git, and check again.")
	case errors.As(err, &late) && late.Late:
		c.fails("not checked, git took too long", "Compare the commit yourself.")
	default:
		c.fails("not checked, git cannot be used here", "Run `git status` to find out why.")
	}
}

// verdict joins the results into one line.
func (c *comparing) verdict() Verdict {
	parts := c.faults
	if text := c.files.describe(c.touched, c.since); text != "" || len(c.said.Git) > 0 && c.age != "" {
		parts = append([]string{join(c.age, text)}, parts...)
	}
	if c.since > 0 && len(c.files.paths) == 0 && len(c.faults) == 0 {
		parts[0] += ", it names no file"
	}
	v := Verdict{Pass: len(c.faults)+len(c.files.wrong) == 0, Reason: strings.Join(parts, "; "),
		Files: c.files.wrong, Advice: c.advice}
	if !v.Pass && v.Advice == "" {
		v.Advice = lookAgain
	}
	return v
}

// join joins two texts with a comma, unless one is empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// Commit returns the reference to the checked-out commit. Without a commit it fails with fault.ErrInvalid.
func (t Tree) Commit(ctx context.Context) (string, error) {
	commit, branch, err := t.git.Head(ctx)
	if err != nil {
		return "", unrecorded(err, "run it in your git work tree with a commit, or omit --work",
			"the checked-out commit")
	}
	differ, err := t.git.Differing(ctx, commit)
	if err != nil {
		return "", unrecorded(err, "omit --work", "the difference from the commit")
	}
	if !relation.IsBranch(branch) {
		branch = ""
	}
	f := relation.Form{Kind: relation.Git, Commit: commit, Branch: branch}
	if len(differ) > 0 {
		f.Changed = strconv.Itoa(len(differ))
	}
	return f.String(), nil
}

// File returns the reference to a file with its present content. path is absolute. If it is not a file of the
// project, File fails with fault.ErrInvalid.
func (t Tree) File(path string) (string, error) {
	rel, err := filepath.Rel(t.git.Dir, path)
	if err == nil {
		rel = filepath.ToSlash(rel)
	}
	if err != nil || !relation.IsPath(rel) {
		return "", fault.Invalid("use a file below "+t.git.Dir, "%s is not a file of the project", path)
	}
	f, _, err := t.open(rel)
	if err != nil {
		return "", unrecorded(err, "", path)
	}
	defer f.Close()
	sum, err := hash(f)
	if err != nil {
		return "", unrecorded(err, "", path)
	}
	return relation.Form{Kind: relation.File, Path: rel, SHA256: sum}.String(), nil
}

// unrecorded returns the error for work that cannot be recorded in a handoff.
func unrecorded(err error, advice, what string) error {
	if e, is := errors.AsType[*fs.PathError](err); is {
		err = e.Err // what names the path already
	}
	return fault.Invalid(advice, "%s cannot be recorded: %v", what, err)
}
