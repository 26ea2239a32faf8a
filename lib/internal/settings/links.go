package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// maxLinks is the number of symbolic links that one path can go through.
const maxLinks = 40

// CheckLinks returns fault.ErrInvalid for a path through a symbolic link inside a project. Such a link comes with the
// project, and its target is the choice of another person. Links outside projects are the user's. The last names of a
// path may be missing. If the path cannot be resolved, CheckLinks returns the error of the system.
func CheckLinks(path string) error {
	at, err := filepath.EvalSymlinks(".")
	if err == nil {
		at, err = filepath.Abs(at)
	}
	if err == nil {
		at, err = filepath.EvalSymlinks(at) // the caller chose the current directory
	}
	if filepath.IsAbs(path) {
		at, err = filepath.VolumeName(path)+string(filepath.Separator), nil
	}
	if err != nil {
		return err
	}
	rest := names(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		next := filepath.Join(at, name) // at contains no links, so .. is its parent
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink == 0:
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return fault.Invalid("check the path", "%s leads nowhere", path)
		}
		if isInProject(at) {
			return linkError(path, next)
		}
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + string(filepath.Separator)
		}
		rest = append(names(target), rest...)
	}
	return nil
}

// names splits a path into its names.
func names(path string) []string {
	path = filepath.ToSlash(path[len(filepath.VolumeName(path)):])
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// linkError returns the error for a path through a link of a project. It names the link as the path does, if possible.
func linkError(path, link string) error {
	advice := "name the place that you mean"
	if real, err := filepath.EvalSymlinks(link); err == nil {
		advice += ", which may be " + real
	}
	cut := path
	for above := path; above != filepath.Dir(above); above = filepath.Dir(above) {
		if filepath.Base(above) == filepath.Base(link) {
			cut = filepath.Clean(above)
		}
	}
	return fault.Invalid(advice, "%s is a symbolic link of the project", cut)
}

// isInProject reports whether a directory is in a project or a git work tree, whose files may come from others.
func isInProject(dir string) bool {
	for {
		for _, name := range []string{Name, ".git"} {
			if is, _ := exists(filepath.Join(dir, name)); is {
				return true
			}
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}
