package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

var (
	systemPlaces = []string{"/etc", "/usr", "/proc", "/sys", "/dev", "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64"}
	sharedPlaces = []string{"/var", "/root", "/srv"}
)

const placeAdvice = "choose a directory inside the project, or name another with --handoffs-dir"

// OpenPlace opens a directory of the store, nil if it does not exist. One where no store may be is
// fault.ErrConfig.
//
// Symbolic links on the way are resolved first. The place is judged by what comes of that, and opened
// as it was judged: who puts a link there meanwhile stops the command, and leads it nowhere.
func (s *Store) OpenPlace(path string) (*disk.Dir, error) {
	_, d, err := s.place(path)
	return d, err
}

// MakePlace is OpenPlace, and makes the directory durably where it is missing. What root makes belongs
// to the owner of the directory that it lies in.
func (s *Store) MakePlace(path string, perm fs.FileMode) (*disk.Dir, error) {
	real, d, err := s.place(path)
	if err == nil && d == nil {
		d, err = disk.MakeDir(real, perm)
	}
	return d, PlaceError(path, err)
}

// place judges the place of a directory that exists or not, and opens it if it does.
func (s *Store) place(path string) (real string, d *disk.Dir, err error) {
	real, d, err = Locate(path)
	if err == nil {
		err = s.judgePlace(path, real, d)
	}
	if err != nil && d != nil {
		d.Close()
		d = nil
	}
	return real, d, err
}

// Locate returns the path of a directory without the symbolic links on the way to it, and opens it, if
// it exists.
func Locate(path string) (real string, d *disk.Dir, err error) {
	real = path
	if d, err = disk.OpenDir(real); errors.Is(err, disk.ErrUnsafe) {
		if real, err = ResolveParent(path); err != nil {
			return path, nil, err
		}
		d, err = disk.OpenDir(real)
	}
	d, err = IfThere(d, err)
	return real, d, err
}

// IfThere makes nil of a directory that does not exist, and fault.ErrConfig of one that may not be used.
func IfThere(d *disk.Dir, err error) (*disk.Dir, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fs.ErrPermission):
		return nil, fault.New(fault.ErrConfig, fault.Remedy(err)+"; if it is another user's, "+ownClone,
			"cannot use the directory: %v", err)
	case errors.Is(err, disk.ErrUnsafe):
		return nil, fault.New(fault.ErrConfig, "move away what is there, or name another directory (--handoffs-dir, --state-dir)", "cannot use the directory: %v", err)
	}
	return d, err
}

// judgePlace refuses a directory that no store may be in: one of the system, one that a
// symbolic link of the project leads out to, and one outside of the project that nobody named on the
// command line.
func (s *Store) judgePlace(path, real string, d *disk.Dir) error {
	if place, ok := under(real, systemPlaces); ok {
		return fault.New(fault.ErrConfig, placeAdvice, "%s lies under %s, which belongs to the system", path, place)
	}
	inside, err := s.isInside(path, real)
	if err != nil {
		return err
	}
	if contains(s.Opt.Root, path) && !inside {
		return fault.New(fault.ErrConfig, placeAdvice, "%s leads out of the project through a symbolic link, to %s", path, real)
	}
	if !inside && !slices.Contains(s.Opt.Named, path) {
		return fault.New(fault.ErrConfig, placeAdvice, "%s lies outside the project %s and was not named on the command line", path, s.Opt.Root)
	}
	if place, ok := under(real, sharedPlaces); ok && !(inside && isOwn(real, d)) {
		return fault.New(fault.ErrConfig, placeAdvice, "%s lies under %s, and not inside a project of yours", path, place)
	}
	return nil
}

// isInside reports whether a path, which is called real without symbolic links, leads to a place
// inside the project.
func (s *Store) isInside(path, real string) (bool, error) {
	if path == real && contains(s.Opt.Root, path) {
		return true, nil // the root has no symbolic link either
	}
	root, err := Resolve(s.Opt.Root)
	return contains(root, real), err
}

// isOwn reports whether the caller owns d, or, if that does not exist, the nearest directory above it.
func isOwn(real string, d *disk.Dir) bool {
	for parent := real; d == nil; {
		if real, parent = parent, filepath.Dir(parent); real == parent {
			return false
		}
		above, err := disk.OpenDir(parent)
		if err == nil {
			defer above.Close()
			d = above
		} else if !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	info, err := d.Stat()
	return err == nil && IsCallers(info)
}

// CheckPlaces refuses handoffs and state directories where no store may be, or that somebody else
// could use against the caller. It creates nothing.
func (s *Store) CheckPlaces() error {
	for _, path := range []string{s.Opt.Dir, s.Opt.StateDir} {
		d, err := s.OpenPlace(path)
		if err != nil {
			return err
		}
		if d == nil {
			continue
		}
		err = CheckOwner(d)
		d.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// ownClone is what a second user of a project can do: what a store keeps in its state directory is for one.
const ownClone = "work in a clone of your own and exchange with `handoff sync`"

// CheckOwner refuses a directory that somebody else could use against the caller. The answer comes from
// the open directory, so that it cannot be exchanged in between.
func CheckOwner(d *disk.Dir) error {
	info, err := d.Stat()
	if err != nil {
		return err
	}
	if !mayWrite(info) {
		return fault.New(fault.ErrConfig, ownClone, "%s belongs to another user, and a store is private to its owner",
			d.Path())
	}
	if info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
		return fault.New(fault.ErrConfig, "run `chmod o-w "+d.Path()+"`", "%s can be written by everybody", d.Path())
	}
	return nil
}

// ReadPlain reads a file that is named or lies inside the project, such as OPERATORS.md. Neither the
// file nor, once they are resolved, the directories above it may be symbolic links.
func (s *Store) ReadPlain(path string, max int64) ([]byte, error) {
	real, err := ResolveParent(path)
	if err != nil {
		return nil, err
	}
	inside, err := s.isInside(path, real)
	if err == nil && !inside && !slices.Contains(s.Opt.Named, path) {
		err = fault.New(fault.ErrConfig, "name it on the command line, or keep it inside the project", "%s lies outside the project %s", path, s.Opt.Root)
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

// Resolve returns path with symbolic links resolved as far as it exists.
func Resolve(path string) (string, error) {
	if disk.IsPlain(path) {
		return filepath.Clean(path), nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if passing(err) != nil {
		return "", err
	}
	if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
		return "", &fault.Error{Class: fault.ErrConfig, Problem: fmt.Sprintf("cannot resolve %s: %v", path, err), Cause: err}
	}
	return ResolveParent(path)
}

// ResolveParent is Resolve for all of path but its last name.
func ResolveParent(path string) (string, error) {
	parent, err := Resolve(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// Within reports whether path is dir or lies below it, wherever symbolic links lead. What cannot be told is no.
func Within(dir, path string) bool {
	at, err := filepath.Abs(path)
	if err == nil {
		at, err = Resolve(at)
	}
	real, dirErr := Resolve(dir)
	return err == nil && dirErr == nil && contains(real, at)
}

// Holds reports whether a path lies among the files of the store.
func (s *Store) Holds(path string) bool {
	return Within(s.Opt.Dir, path) || Within(s.Opt.StateDir, path)
}

// under returns the first of the places that a path lies in.
func under(path string, places []string) (string, bool) {
	for _, place := range places {
		if contains(place, path) {
			return place, true
		}
	}
	return "", false
}

// contains reports whether path is dir or lies below it, by their text alone.
func contains(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}

// PlaceError says of an error with a directory that it is a matter of configuration, if it is.
func PlaceError(path string, err error) error {
	if errors.Is(err, disk.ErrUnsafe) || errors.Is(err, disk.ErrUnsupported) || errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.ErrConfig, "choose a directory of your own that can be written", "cannot use %s: %v", path, err)
	}
	return err
}

// IsThere reports whether there is something at a path, also if it may not be looked at.
func IsThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
