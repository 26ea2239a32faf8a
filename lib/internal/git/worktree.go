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

// IsTop reports whether git takes a directory for the top of a work tree. Its .git must be a repository, with HEAD,
// objects and refs, or a file that names one. An error means that it cannot be read.
func IsTop(dir string) (bool, error) {
	path := filepath.Join(dir, ".git")
	if info, err := os.Stat(path); err != nil {
		return false, ignoreAbsent(err)
	} else if !info.IsDir() {
		text, err := readSmall(path)
		return strings.HasPrefix(text, "gitdir: "), ignoreAbsent(err)
	}
	common, err := pointer(filepath.Join(path, "commondir"), "")
	is, headErr := isHead(filepath.Join(path, "HEAD"))
	err = errors.Join(err, headErr)
	for _, name := range []string{"objects", "refs"} {
		info, statErr := os.Stat(filepath.Join(cmp.Or(common, path), name))
		is, err = is && statErr == nil && info.IsDir(), errors.Join(err, ignoreAbsent(statErr))
	}
	return is, err
}

var head = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(ref:\s*)?refs/|^[0-9a-fA-F]{40,64}\s*$`)
})

// isHead reports whether a file contains a ref or a commit.
func isHead(path string) (bool, error) {
	text, err := os.Readlink(path)
	if err != nil {
		text, err = readSmall(path)
	}
	return head().MatchString(text), ignoreAbsent(err)
}

// A LinkError explains why the main work tree of a linked one was not found.
type LinkError struct{ Why string }

// Error returns the reason.
func (e *LinkError) Error() string { return e.Why }

// Main returns the main work tree of a linked one at top, as `git worktree add` creates it. It returns "" for a main
// work tree, that of a submodule too, and other directories.
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
	if main := mainOf(common); main != "" {
		return filepath.EvalSymlinks(main)
	}
	return "", &LinkError{"its repository has no main work tree"}
}

// Linked returns the linked work trees of the main work tree at top, which both refer to each other.
func Linked(top string) (all []string) {
	link := filepath.Join(top, ".git")
	named, _ := pointer(link, "gitdir: ")
	worktrees := filepath.Join(cmp.Or(named, link), "worktrees")
	names, _ := os.ReadDir(worktrees)
	for _, name := range names {
		back, err := pointer(filepath.Join(worktrees, name.Name(), "gitdir"), "")
		linked := filepath.Dir(back)
		if main, mainErr := Main(linked); err == nil && mainErr == nil && main != "" && isSame(main, top) {
			all = append(all, linked)
		}
	}
	return all
}

// mainOf returns the main work tree of a repository, which must name the repository; "" if there is none. That of
// a submodule is where its configuration says.
func mainOf(common string) string {
	text, err := readSmall(filepath.Join(common, "config"))
	if err != nil {
		return ""
	}
	main := filepath.Dir(common)
	if set := worktree().FindStringSubmatch(text); set != nil {
		if main = set[1]; !filepath.IsAbs(main) {
			main = filepath.Join(common, main)
		}
	}
	link := filepath.Join(main, ".git")
	named, err := pointer(link, "gitdir: ")
	if err == nil && (isSame(link, common) || isSame(named, common)) {
		return main
	}
	return ""
}

// FirstWorkspace returns the first workspace of a jj repository, in whose second one top is; "" for other directories.
// There the file .jj/repo has the path of the repository.
func FirstWorkspace(top string) string {
	repo, err := pointer(filepath.Join(top, ".jj", "repo"), "")
	first := filepath.Dir(filepath.Dir(repo))
	if err != nil || repo == "" || filepath.Base(filepath.Dir(repo)) != ".jj" || isSame(first, top) {
		return ""
	}
	if info, err := os.Stat(filepath.Join(first, ".jj", "repo")); err != nil || !info.IsDir() {
		return ""
	}
	return first
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

var worktree = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^\s*worktree\s*=\s*(.*?)\s*$`)
})

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
