// Package work compares what a handoff says about the work that it was written at with the work as it
// is now: the commit, its branch, and files by their SHA-256. It never says that a handoff is
// better than it is: what cannot be compared does not pass.
//
// Whoever wrote the handoff, and whoever made the repository, may be hostile: files are read below the
// root of the project alone, and of git's questions only those are asked that run nothing
// ([git.Tree]).
package work

import (
	"context"
	"errors"
	"fmt"
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

// At returns the work below root, an absolute path. environ is that of the process, as os.Environ gives it.
func At(root string, environ []string) Tree { return Tree{git.Tree{Dir: root, Environ: environ}} }

// Said is what a handoff says about the work.
type Said struct {
	Commits []relation.Form // of the kind git
	Files   []File
	Claims  bool // it says that something was found to be so, such as that a test passed
}

// A File is a file as it was.
type File struct {
	Path   string // relative to the root with slashes, or absolute
	SHA256 string // hex digits
}

// SaidBy returns what the references of a handoff say.
func SaidBy(references []string) (s Said) {
	set := relation.Of(references)
	s.Commits, s.Claims = set.Git, len(set.Probes) > 0
	for _, f := range set.Files {
		s.Files = append(s.Files, File{f.Path, f.SHA256})
	}
	return s
}

// Is reports whether anything is said that can be compared.
func (s Said) Is() bool { return len(s.Commits)+len(s.Files) > 0 }

// A Verdict says whether the work is as a handoff says.
type Verdict struct {
	Pass   bool     `json:"pass"`
	Reason string   `json:"reason"`          // in our own words
	Files  []string `json:"files,omitempty"` // that are no longer as they were; the names are the sender's
	Advice string   `json:"advice,omitempty"`
}

// Line returns the verdict as a line, "" for one about nothing.
func (v Verdict) Line() string {
	if v.Reason == "" {
		return ""
	}
	return "Work: " + v.Reason
}

const mostCommits = 4 // that are compared

// Compare compares. It takes some milliseconds of git for each commit, and as long as the files take to read.
func (t Tree) Compare(ctx context.Context, said Said) Verdict {
	c := comparing{Tree: t, ctx: ctx, said: said, files: t.compareFiles(said.Files)}
	for _, commit := range said.Commits[:min(len(said.Commits), mostCommits)] {
		c.commit(commit)
	}
	if more := len(said.Commits) - mostCommits; more > 0 {
		c.fails(fmt.Sprintf("%s not compared", fault.Count(more, "commit")), "")
	}
	return c.verdict()
}

// Of compares what references say; it is Compare of SaidBy, and a zero Verdict if they say nothing.
func (t Tree) Of(ctx context.Context, references []string) Verdict {
	said := SaidBy(references)
	if !said.Is() {
		return Verdict{}
	}
	return t.Compare(ctx, said)
}

// A comparing is the comparison of one handoff with the work tree, as it comes along.
type comparing struct {
	Tree
	ctx     context.Context
	said    Said
	files   compared
	age     string   // how far the work went on since the oldest commit
	since   int      // commits
	touched int      // of them that change the files
	faults  []string // in our own words
	advice  string
}

// fails notes what speaks against going on. The advice about the first of it is given.
func (c *comparing) fails(what, advice string) {
	c.faults = append(c.faults, what)
	if c.advice == "" {
		c.advice = advice
	}
}

const lookAgain = "Find out what became of the work since, then ask the sender whether the handoff still holds."

// commit compares one commit with what is checked out.
func (c *comparing) commit(f relation.Form) {
	n, ancestor, err := c.git.Since(c.ctx, f.Commit)
	if errors.Is(err, git.ErrUnknown) {
		if _, _, none := c.git.Head(c.ctx); none != nil {
			err = none // there is nothing that could know it
		}
	}
	switch {
	case errors.Is(err, git.ErrUnknown):
		c.fails("its commit is unknown here", "Fetch the commit that the handoff names, or ask the sender where it is.")
		return
	case err != nil:
		c.unasked(err)
		return
	case !ancestor:
		c.fails("its commit is not an ancestor of what is checked out", "Check out the branch that the handoff was written on, or ask the sender where it went.")
		c.branch(f.Branch)
		return
	}
	if n >= c.since {
		c.since, c.age = n, "at its commit"
	}
	if n > 0 && n >= c.since {
		c.age = fault.Count(n, "commit") + " since"
		c.touched = c.touching(f.Commit)
	}
	c.branch(f.Branch)
	c.uncommitted(f)
}

// touching is how many of the commits since change the files, -1 if nobody can say.
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

// branch looks whether the branch that the work was on is still there.
func (c *comparing) branch(name string) {
	if name == "" {
		return
	}
	there, err := c.git.HasBranch(c.ctx, name)
	switch {
	case err != nil:
		c.unasked(err)
	case !there:
		c.fails("its branch is gone", "Find out where its branch was merged, then ask the sender whether the handoff still holds.")
	}
}

// uncommitted compares how many files differ from the commit with how many did.
func (c *comparing) uncommitted(f relation.Form) {
	was, err := strconv.Atoi(f.Changed)
	if err != nil || was == 0 {
		return
	}
	now, err := c.git.Differing(c.ctx, f.Commit)
	switch {
	case err != nil:
		c.unasked(err)
	case len(now) != was:
		c.fails(fmt.Sprintf("it was written with %s changed beside its commit, now %d differ", fault.Count(was, "file"), len(now)), lookAgain)
	}
}

// unasked is for what git did not answer.
func (c *comparing) unasked(err error) {
	late := (*git.Error)(nil)
	switch {
	case errors.Is(err, git.ErrForeign):
		c.fails("not checked, the repository belongs to somebody else",
			"If you trust it, run `git config --global --add safe.directory` with the path of its top, and check again.")
	case errors.Is(err, exec.ErrNotFound):
		c.fails("not checked, git is not installed", "Install git, and check again.")
	case errors.As(err, &late) && late.Late:
		c.fails("not checked, git took too long", "Compare the commit yourself.")
	default:
		c.fails("not checked, git cannot be used here", "Look with `git status` at what is wrong with the repository.")
	}
}

// verdict joins what was found into one line.
func (c *comparing) verdict() Verdict {
	parts := c.faults
	if text := c.files.says(c.touched, c.since); text != "" || len(c.said.Commits) > 0 && c.age != "" {
		parts = append([]string{join(c.age, text)}, parts...)
	}
	if c.since > 0 && len(c.files.paths) == 0 && len(c.faults) == 0 {
		parts[0] += ", no file is named"
	}
	if c.since > 0 && c.said.Claims {
		parts = append(parts, "what it claims is older than the work")
	}
	v := Verdict{Pass: len(c.faults)+len(c.files.wrong) == 0, Reason: strings.Join(parts, "; "), Files: c.files.wrong, Advice: c.advice}
	if !v.Pass && v.Advice == "" {
		v.Advice = lookAgain
	}
	return v
}

// join puts a comma between two texts where both say something.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// Commit returns the reference to what is checked out. It fails with fault.ErrInvalid where there is
// no commit.
func (t Tree) Commit(ctx context.Context) (string, error) {
	commit, branch, err := t.git.Head(ctx)
	if err != nil {
		return "", unrecorded(err, "it needs a git work tree of yours with a commit; leave --work out elsewhere", "what is checked out")
	}
	differ, err := t.git.Differing(ctx, commit)
	if err != nil {
		return "", unrecorded(err, "leave --work out", "what differs from the commit")
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

// File returns the reference to a file as it is; path is absolute. It fails with fault.ErrInvalid for
// what is no file of the project.
func (t Tree) File(path string) (string, error) {
	rel, err := filepath.Rel(t.git.Dir, path)
	if err == nil {
		rel = filepath.ToSlash(rel)
	}
	if err != nil || !relation.IsPath(rel) {
		return "", fault.New(fault.ErrInvalid, "name one below "+t.git.Dir, "%s is not a file of the project", path)
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

// unrecorded says that the state of the work could not be noted in a handoff.
func unrecorded(err error, advice, what string) error {
	return &fault.Error{Class: fault.ErrInvalid, Problem: fmt.Sprintf("%s cannot be recorded: %v", what, err), Advice: advice, Cause: err}
}
