package store

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

var systemPlaces = []string{"/etc", "/usr", "/proc", "/sys", "/dev", "/boot", "/bin", "/sbin", "/lib", "/lib32",
	"/lib64"}

const placeAdvice = "choose a directory inside the project, or name another with --handoffs-dir"

// open opens a directory of the store, nil if it does not exist. The error is fault.ErrConfig if no store may be there.
func (s *Store) open(path string) (*disk.Dir, error) {
	real, err := s.place(path)
	if err != nil {
		return nil, err
	}
	d, err := disk.Open(real)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, placeError(path, err)
	}
	d.Modes = s.modes(path)
	return d, nil
}

// make is open, and makes the directory if it is missing.
func (s *Store) make(path string) (*disk.Dir, error) {
	real, err := s.place(path)
	if err != nil {
		return nil, err
	}
	d, err := disk.Make(real, s.modes(path))
	return d, placeError(path, err)
}

// modes returns the modes of new files in a directory. Those of the state are for its users alone.
func (s *Store) modes(path string) disk.Modes {
	m := disk.ModesOf(s.Opt.Dir, s.Opt.Root)
	m.IsPublic = contains(s.Opt.Dir, path) && !contains(s.Opt.StateDir, path)
	return m
}

// place returns the real path of a directory, if a store may be there.
func (s *Store) place(path string) (real string, err error) {
	if real, err = Resolve(path); err != nil {
		return "", err
	}
	if place, ok := under(real); ok || filepath.Dir(real) == real {
		return "", fault.Config(placeAdvice, "%s is under %s, a system directory", path, cmp.Or(place, real))
	}
	return real, s.checkInside(path, real)
}

// checkInside refuses a path that leads out of the project, unless the user named it.
func (s *Store) checkInside(path, real string) error {
	root, err := Resolve(s.Opt.Root)
	if err != nil || contains(root, real) || slices.Contains(s.Opt.Named, path) {
		return err
	}
	if path != real {
		path += ", which is " + real + ","
	}
	return fault.Config("keep it inside the project, or name it on the command line",
		"%s is outside the project %s and was not named on the command line", path, s.Opt.Root)
}

// CheckPlaces refuses directories in which no store may be, or that git must not have. It makes nothing.
func (s *Store) CheckPlaces() error {
	for _, path := range []string{s.Opt.Dir, s.Opt.StateDir} {
		d, err := s.open(path)
		if err != nil {
			return err
		}
		if d != nil {
			d.Close()
		}
	}
	if err := s.checkKind(); err != nil {
		return err
	}
	return s.checkUntracked(s.readPin().git)
}

// Holds reports whether a path is in one of the directories of the store.
func (s *Store) Holds(path string) bool {
	return Within(s.Opt.Dir, path) || Within(s.Opt.StateDir, path)
}

// readPlain reads a file inside the project or named on the command line, such as OPERATORS.md.
func (s *Store) readPlain(path string, limit int64) ([]byte, error) {
	dir, err := Resolve(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if err := s.checkInside(path, filepath.Join(dir, filepath.Base(path))); err != nil {
		return nil, err
	}
	d, err := disk.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Read(filepath.Base(path), limit)
}

// Resolve resolves the symbolic links in the existing part of a path.
func Resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
		return "", fault.Config("choose another path", "cannot resolve %s: %v", path, err)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 { // else it was made just now
		return "", fault.Config("remove it, or make what it names", "%s is a symbolic link to nothing", path)
	}
	parent, err := Resolve(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// Within reports whether path is dir or below it, after symbolic links are resolved. If that fails, the answer is no.
func Within(dir, path string) bool {
	at, err := filepath.Abs(path)
	if err == nil {
		at, err = Resolve(at)
	}
	real, dirErr := Resolve(dir)
	return err == nil && dirErr == nil && contains(real, at)
}

// under returns the directory of the system that is path or above it.
func under(path string) (string, bool) {
	places := systemPlaces
	if runtime.GOOS == "windows" {
		places = []string{filepath.VolumeName(path) + `\Windows`, filepath.VolumeName(path) + `\Program Files`}
	}
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

// placeError turns an error of a directory into fault.ErrConfig if another directory could end it.
func placeError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Config("choose a directory that you can write to", "cannot use %s: %v", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fault.Config("ask its owner to run `chmod -R g+rwX "+ShellQuote(path)+"`", "you may not use %s", path)
	}
	return err
}

// IsThere reports whether path exists, even if it cannot be examined.
func IsThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
