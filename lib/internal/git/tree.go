package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Tree answers questions about the work tree around a directory. It runs nothing that the repository names: no
// hook, filter, monitor, pager, helper or transport, not even for objects that a partial clone lacks. The repository
// must belong to the user.
type Tree struct {
	Dir     string   // absolute, in the work tree
	Environ []string // the environment, from os.Environ
	Skip    string   // files below this directory do not count; "" means none
}

// ErrForeign is wrapped by errors about a repository of another user.
var ErrForeign = errors.New("the repository belongs to another user")

// ErrUnknown is wrapped by errors about a commit that the repository does not have.
var ErrUnknown = errors.New("no such commit")

// mostPatient is the time limit of one question. A busy machine can take a second to start git.
const mostPatient = 10 * time.Second

// closed is an environment in which git fetches nothing and asks no questions. It uses history and paths literally.
var closed = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1"}

// top is where git runs. A directory below it could contain a bare repository, whose settings git would use.
func (t Tree) top() string { return cmp.Or(Top(t.Dir), t.Dir) }

// ask runs git with arguments that are safe in a repository of another user.
func (t Tree) ask(ctx context.Context, args ...string) (string, error) {
	out, err := run(ctx, t.top(), call{args, t.Environ, closed})
	if e, is := errors.AsType[*Error](err); is && e.Says("dubious ownership", "owned by someone else") {
		err = errors.Join(ErrForeign, err)
	}
	return strings.TrimRight(string(out), "\n"), err
}

// Head returns the checked out commit, and the short name of its branch, "" for none.
func (t Tree) Head(ctx context.Context) (commit, branch string, err error) {
	commit, err = t.ask(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	return commit, Branch(Top(t.Dir)), err
}

// Since returns the number of commits of HEAD that are not in commit, and whether commit is an ancestor of HEAD.
func (t Tree) Since(ctx context.Context, commit string) (n int, ancestor bool, err error) {
	out, err := t.ask(ctx, "rev-list", "--left-right", "--count", commit+"...HEAD", "--")
	if e, is := errors.AsType[*Error](err); is && e.Code == 128 && !errors.Is(err, ErrForeign) {
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

// Has reports whether a commit of any ref, or the index, contains one of the paths, which are relative to the
// directory.
func (t Tree) Has(ctx context.Context, paths []string) (bool, error) {
	if len(paths) == 0 {
		return false, nil
	}
	out, err := t.ask(ctx, append([]string{"rev-list", "--all", "-n1", "--"}, paths...)...)
	for _, path := range paths {
		if err == nil && out == "" {
			var isTracked bool
			if isTracked, err = Tracks(ctx, t.top(), filepath.ToSlash(path)); isTracked {
				return true, err
			}
		}
	}
	return out != "", err
}

// Differing returns the tracked files that differ from commit, relative to the top. Submodules do not count.
//
// If the index is not conclusive, git would pass a file through the filters of the repository. So git runs in an
// empty repository without filters, with the index and the objects of this one. Files that still seem to differ are
// compared here.
func (t Tree) Differing(ctx context.Context, commit string) (files []string, err error) {
	places, err := t.ask(ctx, "rev-parse", "--git-path", "index", "--git-path", "objects", "--show-object-format")
	if err != nil {
		return nil, err
	}
	index, rest, _ := strings.Cut(places, "\n")
	objects, names, _ := strings.Cut(rest, "\n")
	bare, err := plainRepository(names)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(bare)
	top := Top(t.Dir)
	env := append([]string{"GIT_DIR=" + bare, "GIT_WORK_TREE=" + top, "GIT_INDEX_FILE=" + t.abs(index),
		"GIT_OBJECT_DIRECTORY=" + t.abs(objects),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "HOME=" +
			bare, "XDG_CONFIG_HOME=" + bare}, closed...)
	args := []string{"diff-index", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=all", "--no-abbrev", commit, "--"}
	out, err := run(ctx, top, call{args, t.Environ, env})
	if err != nil {
		return nil, err
	}
	files, err = differing(top, out)
	return slices.DeleteFunc(files, t.skips(top)), err
}

// skips returns whether a file, relative to the top, is in the directory that does not count.
func (t Tree) skips(top string) func(string) bool {
	dir, err := filepath.Rel(top, t.Skip)
	isBelow := t.Skip != "" && err == nil && filepath.IsLocal(dir) && dir != "."
	return func(file string) bool { return isBelow && strings.HasPrefix(file, filepath.ToSlash(dir)+"/") }
}

// abs returns a path of git's output, which is relative to the top, as an absolute path.
func (t Tree) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.top(), path)
}

// plainRepository creates an empty repository whose only setting is the hash function. The caller removes it.
func plainRepository(names string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "handoff-git-"); err != nil {
		return "", err
	}
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
	if names == "sha256" {
		config += "[extensions]\n\tobjectFormat = sha256\n"
	}
	err = errors.Join(os.Mkdir(filepath.Join(dir, "objects"), 0o700), os.Mkdir(filepath.Join(dir, "refs"), 0o700),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"),
			0o600), os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
	if err != nil {
		os.RemoveAll(dir)
	}
	return dir, err
}

// differing parses the output of `diff-index --raw -z`. It omits files with the content of the commit: only their
// times differ from the index.
func differing(top string, raw []byte) (files []string, err error) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	compared := int64(0)
	for fields := bytes.Split(raw, []byte{0}); len(fields) >= 2; fields = fields[2:] {
		name := string(fields[1])
		words := strings.Fields(strings.TrimPrefix(string(fields[0]), ":")) // modes, objects, status
		if len(words) == 5 && words[4] == "M" && words[0] == words[1] && compared < mostCompared {
			same, size := isObject(root, name, words[2])
			compared += size
			if same {
				continue
			}
		}
		files = append(files, name)
	}
	return files, nil
}
