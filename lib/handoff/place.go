package handoff

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/durable"
)

var (
	systemPlaces = []string{"/etc", "/usr", "/proc", "/sys", "/dev", "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64"}
	sharedPlaces = []string{"/var", "/root", "/srv"}
)

// checkPlaces refuses handoffs and state directories where no store may be. It creates nothing.
func (s *Store) checkPlaces() error {
	root, err := resolve(s.opt.Root)
	if err != nil {
		return err
	}
	for _, dir := range []string{s.opt.Dir, s.opt.StateDir} {
		if err := s.checkPlace(dir, root); err != nil {
			return err
		}
	}
	file, err := resolve(s.opt.OperatorsFile)
	if err == nil && !contains(root, file) && !slices.Contains(s.opt.Named, s.opt.OperatorsFile) {
		err = fault.New(ErrConfig, "name it on the command line, or keep it inside the project",
			"the operators file %s lies outside the project %s", s.opt.OperatorsFile, s.opt.Root)
	}
	return err
}

func (s *Store) checkPlace(dir, root string) error {
	const advice = "choose a directory inside the project, or name another with --handoffs-dir"
	real, err := resolve(dir)
	if err != nil {
		return err
	}
	if place, ok := under(real, systemPlaces); ok {
		return fault.New(ErrConfig, advice, "%s lies under %s, which belongs to the system", dir, place)
	}
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return fault.New(ErrConfig, advice, "%s is not a directory (symbolic links are refused)", dir)
	}
	inside := contains(root, real)
	if contains(s.opt.Root, dir) && !inside {
		return fault.New(ErrConfig, advice, "%s leads out of the project through a symbolic link, to %s", dir, real)
	}
	if !inside && !slices.Contains(s.opt.Named, dir) {
		return fault.New(ErrConfig, advice, "%s lies outside the project %s and was not named on the command line", dir, s.opt.Root)
	}
	if place, ok := under(real, sharedPlaces); ok && !(inside && ownedByCaller(real)) {
		return fault.New(ErrConfig, advice, "%s lies under %s, and not inside a project of yours", dir, place)
	}
	return nil
}

// checkOwner refuses a directory that somebody else could use against the caller. The answer comes from
// the open directory, so that it cannot be exchanged in between.
func checkOwner(d *durable.Dir) error {
	info, err := d.Stat()
	if err != nil {
		return err
	}
	if !mayWrite(info) {
		return fault.New(ErrConfig, "let its owner run the command, or choose a directory of your own",
			"%s belongs to somebody else", d.Path())
	}
	if info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
		return fault.New(ErrConfig, "run `chmod o-w "+d.Path()+"`", "%s can be written by everybody", d.Path())
	}
	return nil
}

// resolve returns path with symbolic links resolved as far as it exists.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	parent := filepath.Dir(path)
	if !errors.Is(err, fs.ErrNotExist) || parent == path {
		return "", fault.New(ErrConfig, "", "cannot resolve %s: %v", path, err)
	}
	real, err = resolve(parent)
	return filepath.Join(real, filepath.Base(path)), err
}

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
