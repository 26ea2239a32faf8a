package handoff

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// mostLinks is how many symbolic links one path may lead through.
const mostLinks = 40

// CheckLinks refuses a path that leads through a symbolic link which lies in a project, with ErrInvalid: the link
// came with the project, and leads where somebody else wants. Links elsewhere are the caller's own. The last names
// of a path may be missing. A path that cannot be followed is the error of the system.
func CheckLinks(path string) error {
	at, err := filepath.EvalSymlinks(".")
	if err == nil {
		at, err = filepath.Abs(at)
	}
	if err == nil {
		at, err = filepath.EvalSymlinks(at) // a directory that the caller is in is the caller's choice
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
		next := filepath.Join(at, name) // at has no links, so that .. is the directory above
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
		if links++; err != nil || links > mostLinks {
			return fault.New(ErrInvalid, "check the path", "%s leads nowhere", path)
		}
		if isInProject(at) {
			return linked(path, next)
		}
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + string(filepath.Separator)
		}
		rest = append(names(target), rest...)
	}
	return nil
}

// names returns the names that a path consists of.
func names(path string) []string {
	path = filepath.ToSlash(path[len(filepath.VolumeName(path)):])
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// linked refuses a path that leads through the link of a project. It names the link as the path does, if it does.
func linked(path, link string) error {
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
	return fault.New(ErrInvalid, advice, "%s is a symbolic link of the project", cut)
}

// isInProject reports whether a directory is or lies in what brings files of others along.
func isInProject(dir string) bool {
	for {
		if store.IsThere(filepath.Join(dir, SettingsName)) || store.IsThere(filepath.Join(dir, ".git")) {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
}
