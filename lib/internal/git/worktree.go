package git

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

// Top returns the top of the work tree that contains dir, an absolute path; "" if there is none.
func Top(dir string) string {
	for {
		if is, err := IsTop(dir); is && err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// tops has the directories that were found to be tops of work trees. A command asks several times, and a top stays one.
var tops sync.Map

// IsTop reports whether git takes a directory for the top of a work tree. Its .git must be a repository, with HEAD,
// objects and refs, or a file that names one. An error means that it cannot be read.
func IsTop(dir string) (bool, error) {
	if _, is := tops.Load(dir); is {
		return true, nil
	}
	is, err := hasRepository(dir)
	if is && err == nil {
		tops.Store(dir, nil)
	}
	return is, err
}

func hasRepository(dir string) (bool, error) {
	path := filepath.Join(dir, ".git")
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false, ignoreAbsent(err)
	case info.Mode().IsRegular():
		text, err := readSmall(path)
		return strings.HasPrefix(text, "gitdir: "), err
	case !info.IsDir():
		return false, nil
	}
	common, err := pointer(filepath.Join(path, "commondir"), "")
	if common == "" {
		common = path
	}
	for _, name := range []string{"objects", "refs"} {
		info, statErr := os.Stat(filepath.Join(common, name))
		if err = errors.Join(err, ignoreAbsent(statErr)); statErr != nil || !info.IsDir() {
			return false, err
		}
	}
	is, headErr := isHead(filepath.Join(path, "HEAD"))
	return is, errors.Join(err, headErr)
}

// isHead reports whether a file contains a ref or a commit.
func isHead(path string) (bool, error) {
	if target, err := os.Readlink(path); err == nil {
		return strings.HasPrefix(target, "refs/"), nil
	}
	text, err := readSmall(path)
	if err != nil {
		return false, ignoreAbsent(err)
	}
	if ref, ok := strings.CutPrefix(text, "ref:"); ok {
		return strings.HasPrefix(strings.TrimLeft(ref, " \t\n\r"), "refs/"), nil
	}
	id := strings.TrimRight(text, " \t\r\n")
	return len(id) >= 40 && strings.Trim(id, "0123456789abcdefABCDEF") == "", nil
}

// Branch returns the short name of the branch that is checked out in the work tree at top. It returns "" if there is
// none, or if the file HEAD does not name it.
func Branch(top string) string {
	if top == "" {
		return ""
	}
	_, head, err := readHead(top)
	name, ok := strings.CutPrefix(head, "ref: refs/heads/")
	if err != nil || !ok || len(name) > 255 || name == ".invalid" ||
		strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r > '~' }) {
		return ""
	}
	return name
}

// readHead returns the directory in which git keeps the state of the work tree at top, and the text of HEAD there.
func readHead(top string) (dir, head string, err error) {
	dir = filepath.Join(top, ".git")
	linked, err := pointer(dir, "gitdir: ")
	if err == nil {
		dir = cmp.Or(linked, dir)
		head, err = readSmall(filepath.Join(dir, "HEAD"))
	}
	return dir, strings.TrimSpace(head), err
}

// Head returns the text of HEAD of the work tree at top, and the commit that it names. It omits what does not exist.
func Head(top string) (string, error) {
	dir, head, err := readHead(top)
	if err != nil {
		return "", ignoreAbsent(err)
	}
	ref, isRef := strings.CutPrefix(head, "ref: ")
	if !isRef || !filepath.IsLocal(ref) {
		return head + " ", nil
	}
	common, err := pointer(filepath.Join(dir, "commondir"), "")
	if err != nil {
		return "", err
	}
	common = cmp.Or(common, dir)
	commit, err := readSmall(filepath.Join(common, ref))
	if err != nil && ignoreAbsent(err) == nil {
		var packed []byte
		packed, err = os.ReadFile(filepath.Join(common, "packed-refs"))
		for line := range strings.Lines(string(packed)) {
			if id, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == ref {
				commit = id
			}
		}
	}
	return head + " " + strings.TrimSpace(commit), ignoreAbsent(err)
}

// A LinkError explains why the main work tree of a linked one was not found.
type LinkError struct{ Why string }

// Error returns the reason.
func (e *LinkError) Error() string { return e.Why }

// Main returns the main work tree of a linked one at top, as `git worktree add` creates it. It returns "" for a main
// work tree, a submodule, and other directories.
//
// Main follows the files of gitrepository-layout(5), and runs nothing. Both work trees must refer to each other, so
// that a foreign .git file cannot lead elsewhere. The error is a *LinkError if the main work tree does not exist: the
// repository is bare, or is in another directory.
func Main(top string) (string, error) {
	link := filepath.Join(top, ".git")
	info, err := os.Lstat(link)
	if err != nil || !info.Mode().IsRegular() {
		return "", ignoreAbsent(err)
	}
	own, err := pointer(link, "gitdir: ")
	if err != nil || own == "" {
		return "", err
	}
	common, err := pointer(filepath.Join(own, "commondir"), "")
	if err != nil || common == "" {
		return "", err // a submodule, or a repository in another directory
	}
	back, err := pointer(filepath.Join(own, "gitdir"), "")
	if err != nil {
		return "", err
	}
	if !isSame(back, link) {
		return "", &LinkError{"its repository does not know of it"}
	}
	main := filepath.Dir(common)
	if filepath.Base(common) != ".git" || isBare(common) || !isSame(filepath.Join(main, ".git"), common) {
		return "", &LinkError{"its repository has no main work tree"}
	}
	return filepath.EvalSymlinks(main)
}

const maxPointer = 8 << 10 // bytes of a file that contains a path

// pointer returns the absolute path in a file of one line, "" if there is no such file or line.
func pointer(name, prefix string) (string, error) {
	text, err := readSmall(name)
	if err != nil {
		return "", ignoreAbsent(err)
	}
	path, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), prefix)
	if !ok || path == "" || strings.ContainsAny(path, "\x00\n") {
		return "", nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(name), path)
	}
	return filepath.Clean(path), nil
}

// readSmall reads the beginning of a regular file.
func readSmall(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return "", err
	}
	if err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, fs.ErrNotExist)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPointer))
	return string(text), err
}

var bare = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^\s*(bare\s*(=\s*(true|yes|on|1)\s*)?|worktree\s*=.*)$`)
})

// isBare reports whether the configuration of a repository excludes a work tree around it.
func isBare(common string) bool {
	text, err := readSmall(filepath.Join(common, "config"))
	return err != nil || bare().MatchString(text)
}

// isSame reports whether two paths are the same directory.
func isSame(a, b string) bool {
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(first, second)
}

// ignoreAbsent returns err, or nil if err means that there is no such file.
func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}
