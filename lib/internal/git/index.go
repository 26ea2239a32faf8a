package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// IndexFile returns the path of the index of the work tree at top, "" if it has none.
func IndexFile(top string) string {
	dir := filepath.Join(top, ".git")
	linked, err := pointer(dir, "gitdir: ")
	name := filepath.Join(cmp.Or(linked, dir), "index")
	if info, statErr := os.Stat(name); err == nil && statErr == nil && info.Mode().IsRegular() {
		return name
	}
	return ""
}

// Tracked returns what the index of a work tree contains: path or the names below it. path is relative to top, with
// slashes. Without git, or an index, there are none.
func Tracked(ctx context.Context, top, path string) (names []string, err error) {
	if IndexFile(top) == "" {
		return nil, nil
	}
	env := append(slices.Clone(closed), "GIT_LITERAL_PATHSPECS=0", "GIT_ICASE_PATHSPECS=1")
	args := []string{"ls-files", "-z", "--cached", "--", path}
	out, err := Call{Dir: top, Args: args, Environ: os.Environ(), More: env}.Run(ctx)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil
	}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if covers(top, path, name) {
			names = append(names, string(name))
		}
	}
	return names, err
}

// covers reports whether a tracked name is the path or is below it. It allows for file systems that ignore case.
func covers(top, path string, name []byte) bool {
	if len(name) < len(path) || len(name) > len(path) && name[len(path)] != '/' {
		return false
	}
	head := string(name[:len(path)])
	return head == path || strings.EqualFold(head, path) && isSame(filepath.Join(top, head), filepath.Join(top, path))
}
