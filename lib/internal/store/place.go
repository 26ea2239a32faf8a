package store

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

var systemPlaces = []string{"/etc", "/usr", "/proc", "/sys", "/dev", "/boot", "/bin", "/sbin", "/lib", "/lib32",
	"/lib64"}

const placeAdvice = "choose a directory inside the project, or name another with --handoffs-dir"

// OpenPlace opens a directory of the store. It returns nil if the directory does not exist. If no store may
// be there, the error is fault.ErrConfig.
//
// OpenPlace resolves symbolic links first, and checks and opens the resulting path.
func (s *Store) OpenPlace(path string) (*disk.Dir, error) {
	_, d, err := s.place(path)
	return d, err
}

// MakePlace is OpenPlace, and makes the directory durably if it is missing. A directory that root makes
// belongs to the owner of its parent directory.
func (s *Store) MakePlace(path string, perm fs.FileMode) (*disk.Dir, error) {
	real, d, err := s.place(path)
	if err == nil && d == nil {
		d, err = disk.MakeDir(real, perm)
	}
	return d, PlaceError(path, err)
}

// place checks the path of a directory, and opens the directory if it exists.
func (s *Store) place(path string) (real string, d *disk.Dir, err error) {
	real, d, err = Locate(path)
	if err == nil {
		err = s.checkPlace(path, real)
	}
	if err != nil && d != nil {
		d.Close()
		d = nil
	}
	return real, d, err
}

// Locate resolves the symbolic links above a directory, and opens the directory if it exists.
func Locate(path string) (real string, d *disk.Dir, err error) {
	if real, err = ResolveParent(path); err != nil {
		return path, nil, err
	}
	d, err = IfThere(disk.OpenDir(real))
	return real, d, err
}

// IfThere returns nil for a directory that does not exist, and fault.ErrConfig for one that cannot be used.
func IfThere(d *disk.Dir, err error) (*disk.Dir, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fs.ErrPermission):
		return nil, fault.Config(fault.Remedy(err)+"; if it is another user's, "+ownClone,
			"cannot use the directory: %v", err)
	case errors.Is(err, disk.ErrUnsafe):
		return nil, fault.Config(
			"move it away, or choose another directory with --handoffs-dir or --state-dir",
			"cannot use the directory: %v", err)
	}
	return d, err
}

// checkPlace refuses a directory in which no store may be. It must not be a directory of the system. It must
// not be outside of the project, unless the command line names it. No symbolic link of the project may lead out to it.
func (s *Store) checkPlace(path, real string) error {
	if place, ok := under(real, systemPlaces); ok || filepath.Dir(real) == real {
		return fault.Config(placeAdvice, "%s is under %s, a system directory", path, cmp.Or(place, real))
	}
	inside, err := s.isInside(path, real)
	if err != nil {
		return err
	}
	if contains(s.Opt.Root, path) && !inside {
		return fault.Config(placeAdvice, "%s leads out of the project, through a symbolic link to %s",
			path, real)
	}
	if !inside && !slices.Contains(s.Opt.Named, path) {
		return fault.Config(placeAdvice,
			"%s is outside the project %s and was not named on the command line", path, s.Opt.Root)
	}
	return nil
}

// isInside reports whether a path leads into the project. real is the path without symbolic links.
func (s *Store) isInside(path, real string) (bool, error) {
	if path == real && contains(s.Opt.Root, path) {
		return true, nil // the root has no symbolic link either
	}
	root, err := Resolve(s.Opt.Root)
	return contains(root, real), err
}

// CheckPlaces refuses handoffs and state directories in which no store may be. It creates nothing.
func (s *Store) CheckPlaces() error {
	for _, path := range []string{s.Opt.Dir, s.Opt.StateDir} {
		d, err := s.OpenPlace(path)
		if err != nil {
			return err
		}
		if d != nil {
			d.Close()
		}
	}
	return nil
}

// ownClone is the hint for a second user of a project: the state directory of a store is for one user.
const ownClone = "work in a clone of your own"

// ReadPlain reads a file inside the project or named on the command line, such as OPERATORS.md. The file must
// not be a symbolic link.
func (s *Store) ReadPlain(path string, max int64) ([]byte, error) {
	real, err := ResolveParent(path)
	if err != nil {
		return nil, err
	}
	inside, err := s.isInside(path, real)
	if err == nil && !inside && !slices.Contains(s.Opt.Named, path) {
		err = fault.Config("name it on the command line, or keep it inside the project",
			"%s is outside the project %s", path, s.Opt.Root)
	}
	if err != nil {
		return nil, err
	}
	d, err := disk.OpenDir(filepath.Dir(real))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadFile(filepath.Base(real), max)
}

// Resolve resolves the symbolic links in the existing part of path.
func Resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if passing(err) != nil {
		return "", err
	}
	if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
		return "", fault.Config("", "cannot resolve %s: %v", path, err)
	}
	return ResolveParent(path)
}

// ResolveParent is Resolve for all of path but its last element.
func ResolveParent(path string) (string, error) {
	parent, err := Resolve(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// Within reports whether path is dir or below it, after symbolic links are resolved. If that fails, the
// answer is no.
func Within(dir, path string) bool {
	at, err := filepath.Abs(path)
	if err == nil {
		at, err = Resolve(at)
	}
	real, dirErr := Resolve(dir)
	return err == nil && dirErr == nil && contains(real, at)
}

// Holds reports whether a path is in one of the directories of the store.
func (s *Store) Holds(path string) bool {
	return Within(s.Opt.Dir, path) || Within(s.Opt.StateDir, path)
}

// under returns the first of the places that is path or above it.
func under(path string, places []string) (string, bool) {
	for _, place := range places {
		if contains(place, path) {
			return place, true
		}
	}
	return "", false
}

// contains reports whether path is dir or below it, by their text alone.
func contains(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}

// PlaceError turns an error of a directory into ErrConfig if another directory could fix it.
func PlaceError(path string, err error) error {
	if errors.Is(err, disk.ErrUnsafe) || errors.Is(err, disk.ErrUnsupported) || errors.Is(err, fs.ErrNotExist) {
		return fault.Config("choose a directory that you can write to", "cannot use %s: %v", path, err)
	}
	return err
}

// IsThere reports whether path exists, even if it cannot be examined.
func IsThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
