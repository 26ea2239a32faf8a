package agent

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
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
	lockSuffix   = ".handoff-lock"
)

// A file is a settings file, with symbolic links resolved, and its content.
type file struct {
	path   string      // as given
	dir    string      // the directory of the real file
	name   string      // of the real file in dir
	mode   os.FileMode // of a new file
	modes  disk.Modes  // of new directories
	exists bool
	text   []byte
	backup []byte // the settings before the hook was added, nil if unknown
}

// locate finds and reads the settings of an agent. If they must not be changed, it refuses.
func (a Agent) locate(p Places, scope Scope, sh sheet) (file, error) {
	base, path := a.place(p, scope, sh.paths[scope])
	if !filepath.IsAbs(base) {
		if base != p.Home {
			return file{}, fault.Config("set it to an absolute path", "%s is %q", a.get("home"), base)
		}
		return file{}, fault.Config("set HOME", "the home directory %q is not known", base)
	}
	advice := ""
	if scope == User && a.namedDir(p) != "" {
		advice = "create it, or set " + a.get("home") + " to the directory that " + a.Title + " uses"
	}
	if info, err := os.Stat(base); err != nil {
		return file{}, fault.Config(advice, "cannot use the directory %s: %v", base, err)
	} else if !info.IsDir() {
		return file{}, fault.Config(advice, "%s is not a directory", base)
	}
	f := file{path: path, mode: 0o600, modes: disk.ModesOf(base)}
	if scope == Project {
		f.mode = 0o644
		for at := path; len(at) > len(filepath.Clean(base)); at = filepath.Dir(at) { // path is below base
			if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return f, fault.Config("put a file or directory in its place",
					"%s is a symbolic link of the project", at)
			}
		}
	}
	real, err := store.Resolve(path)
	if err != nil {
		return f, err
	}
	f.exists, f.dir, f.name = store.IsThere(real), filepath.Dir(real), filepath.Base(real)
	return f, f.read()
}

// read reads the settings and their backup.
func (f *file) read() error {
	d, err := disk.Open(f.dir)
	if errors.Is(err, fs.ErrNotExist) && !f.exists {
		return nil
	}
	if err != nil {
		return fault.Config("", "cannot use %s: %v", f.dir, err)
	}
	defer d.Close()
	if f.exists {
		if f.text, err = readOwn(d, f.name); err != nil {
			return fault.Config("nothing was changed", "cannot use %s: %v", f.path, err)
		}
	}
	if f.backup, err = readOwn(d, f.name+backupSuffix); err != nil {
		f.backup = nil // it only makes removing the hook more exact
	}
	return nil
}

// readOwn reads a regular file that the user owns and can write.
func readOwn(d *disk.Dir, name string) ([]byte, error) {
	info, err := d.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !disk.IsOwn(info):
		return nil, errors.New("it belongs to another user")
	case info.Mode().Perm()&0o200 == 0:
		return nil, errors.New("it is read-only")
	}
	return d.Read(name, maxSettings)
}
