package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// A Scope is a set of sessions that a settings file applies to.
type Scope int

// The scopes: all sessions of the user, or those in one project.
const (
	User Scope = iota
	Project
)

// Places are the directories and variables by which settings are found.
type Places struct {
	Home   string              // the home directory, absolute
	Root   string              // the project root, absolute
	Getenv func(string) string // the environment of the agent; nil is empty
}

// place returns the path of one of an agent's settings files, and the directory that must exist for it.
func (a Agent) place(p Places, s Scope, rel string) (base, path string) {
	base = p.Home
	switch named := a.namedDir(p); {
	case s == Project:
		base = p.Root
	case named != "":
		base = named
		if _, below, ok := strings.Cut(rel, "/"); ok && !a.has("above") {
			rel = below
		}
	}
	return base, filepath.Join(base, filepath.FromSlash(rel))
}

// namedDir returns the directory that the agent's variable names, or "".
func (a Agent) namedDir(p Places) string {
	if !a.has("home") || p.Getenv == nil {
		return ""
	}
	return p.Getenv(a.get("home"))
}

const (
	maxSettings  = 4 << 20
	backupSuffix = ".handoff-backup"
)

// A file is a settings file, with symbolic links resolved, and its content.
type file struct {
	path   string      // as given
	dir    string      // the directory of the real file
	name   string      // of the real file in dir
	mode   os.FileMode // of a new file
	exists bool
	text   []byte
	backup []byte // the settings before the hook was added, nil if unknown
}

// locate finds and reads the settings of an agent. If they must not be changed, it refuses.
func (a Agent) locate(p Places, scope Scope, sh sheet) (file, error) {
	base, path := a.place(p, scope, sh.paths[scope])
	if !filepath.IsAbs(base) {
		if base != p.Home {
			return file{}, refuse("set it to an absolute path", "%s is %q", a.get("home"), base)
		}
		return file{}, refuse("set HOME", "the home directory %q is not known", base)
	}
	advice := ""
	if scope == User && a.namedDir(p) != "" {
		advice = "create it, or set " + a.get("home") + " to the directory that " + a.Title + " uses"
	}
	if info, err := os.Stat(base); err != nil {
		return file{}, refuse(advice, "cannot use the directory %s: %v", base, err)
	} else if !info.IsDir() {
		return file{}, refuse(advice, "%s is not a directory", base)
	}
	f := file{path: path, mode: 0o600}
	if scope == Project {
		f.mode = 0o644
		for at := path; isWithin(at, base) && at != base; at = filepath.Dir(at) {
			if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return f, refuse("put a file or directory in its place", "%s is a symbolic link of the project", at)
			}
		}
	}
	real, err := realPath(path)
	if err != nil {
		return f, refuse("check its links and directories", "cannot use %s: %v", path, err)
	}
	f.exists, f.dir, f.name = exists(real), filepath.Dir(real), filepath.Base(real)
	return f, f.read()
}

// isWithin reports whether a path is in a directory. It compares names only.
func isWithin(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// realPath returns a path without symbolic links. The file and directories above it can be missing.
func realPath(path string) (string, error) {
	if real, err := filepath.EvalSymlinks(path); !errors.Is(err, fs.ErrNotExist) || exists(path) {
		return real, err
	}
	dir, err := realPath(filepath.Dir(path))
	return filepath.Join(dir, filepath.Base(path)), err
}

// read reads the settings and their backup.
func (f *file) read() error {
	d, err := disk.OpenDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) && !f.exists {
		return nil
	}
	if err != nil {
		return refuse("", "cannot use %s: %v", f.dir, err)
	}
	defer d.Close()
	if f.exists {
		if f.text, err = readOwn(d, f.name); err != nil {
			return refuse("nothing was changed", "cannot use %s: %v", f.path, err)
		}
	}
	if f.backup, err = readOwn(d, f.name+backupSuffix); err != nil {
		f.backup = nil // it only makes removing the hook more exact
	}
	return nil
}

// readOwn reads a regular file that the user owns and can write.
func readOwn(d *disk.Dir, name string) ([]byte, error) {
	file, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !store.IsCallers(info) {
		return nil, errors.New("it belongs to another user")
	}
	if info.Mode().Perm()&0o200 == 0 {
		return nil, errors.New("it is read-only")
	}
	return disk.ReadAll(file, maxSettings)
}

// exists reports whether a file of that name exists. A broken symbolic link counts.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
