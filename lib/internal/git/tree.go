package git

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Tree answers questions about the work tree around a directory. It runs nothing that the repository names: no
// hook, filter, monitor, pager, helper or transport, not even for objects that a partial clone lacks. The repository
// must belong to the user.
type Tree struct {
	Dir     string   // absolute, in the work tree
	Environ []string // the environment, from os.Environ
	Skip    string   // files below this directory do not count; "" means none
}

// ErrForeign is matched by errors about a repository of another user.
var ErrForeign = errors.New("the repository belongs to another user")

// ErrUnknown is wrapped by errors about a commit that the repository does not have.
var ErrUnknown = errors.New("no such commit")

// closed is an environment in which git fetches nothing and asks no questions. It uses history and paths literally.
var closed = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1"}

// top is where git runs. A directory below it could contain a bare repository, whose settings git would use.
func (t Tree) top() string { return cmp.Or(Top(t.Dir), t.Dir) }

// ask runs git with arguments that are safe in a repository of another user.
func (t Tree) ask(ctx context.Context, args ...string) (string, error) {
	out, err := Call{Dir: t.top(), Args: args, Environ: t.Environ, More: closed}.Run(ctx)
	return strings.TrimRight(string(out), "\n"), err
}

// Head returns the checked out commit, and the short name of its branch, "" for none.
func (t Tree) Head(ctx context.Context) (commit, branch string, err error) {
	out, err := t.ask(ctx, "rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD")
	commit, ref, _ := strings.Cut(out, "\n")
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if !isBranch {
		branch = ""
	}
	return commit, branch, err
}

// Since returns the number of commits of HEAD that are not in commit, and whether commit is an ancestor of HEAD.
func (t Tree) Since(ctx context.Context, commit string) (n int, ancestor bool, err error) {
	out, err := t.ask(ctx, "rev-list", "--left-right", "--count", commit+"...HEAD", "--")
	if e, is := errors.AsType[*exec.ExitError](err); is && e.ExitCode() == 128 && !errors.Is(err, ErrForeign) {
		return 0, false, errors.Join(ErrUnknown, err)
	}
	left, right, _ := strings.Cut(out, "\t")
	if err == nil {
		n, err = strconv.Atoi(right)
	}
	return n, left == "0", err
}

// Touching returns the number of commits after commit that change files. files are relative to the directory.
func (t Tree) Touching(ctx context.Context, commit string, files []string) (int, error) {
	args := []string{"rev-list", "--count", commit + "..HEAD", "--"}
	for _, file := range files {
		path, err := filepath.Rel(t.top(), filepath.Join(t.Dir, file))
		if err != nil {
			return 0, err
		}
		args = append(args, path)
	}
	out, err := t.ask(ctx, args...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}

// Differing returns the tracked files that differ from commit, relative to the top. Submodules do not count.
//
// If the index is not conclusive, git would pass a file through the filters of the repository. So git runs in an
// empty repository without filters, with the index and the objects of this one. Line ends do not count.
func (t Tree) Differing(ctx context.Context, commit string) (files []string, err error) {
	places, err := t.ask(ctx, "rev-parse", "--git-path", "index", "--git-path", "objects", "--show-object-format")
	if err != nil {
		return nil, err
	}
	index, rest, _ := strings.Cut(places, "\n")
	objects, format, _ := strings.Cut(rest, "\n")
	bare, err := os.MkdirTemp("", "handoff-git-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(bare)
	if err := MakeBare(bare, format, "[core]\n\tautocrlf = input\n"); err != nil {
		return nil, err
	}
	top := Top(t.Dir)
	c := Call{Dir: top, Repo: bare, Environ: t.Environ, Args: []string{"diff", "--name-only", "-z", "--no-renames",
		"--no-ext-diff", "--no-textconv", "--ignore-submodules=all", commit, "--"}}
	c.More = append([]string{"GIT_WORK_TREE=" + top, "GIT_INDEX_FILE=" + t.abs(index),
		"GIT_OBJECT_DIRECTORY=" + t.abs(objects), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "HOME=" + bare, "XDG_CONFIG_HOME=" + bare}, closed...)
	out, err := c.Run(ctx)
	if err != nil {
		return nil, err
	}
	files = strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	skip, err := filepath.Rel(top, t.Skip)
	isBelow := t.Skip != "" && err == nil && filepath.IsLocal(skip) && skip != "."
	return slices.DeleteFunc(files, func(file string) bool {
		return isBelow && strings.HasPrefix(file, filepath.ToSlash(skip)+"/")
	}), nil
}

// abs returns a path of git's output, which is relative to the top, as an absolute path.
func (t Tree) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.top(), path)
}
