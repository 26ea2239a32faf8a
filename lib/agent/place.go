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

// A Scope says whose sessions are told.
type Scope int

// The scopes: every session of the user, or those in one project.
const (
	User Scope = iota
	Project
)

// Places are where settings lie.
type Places struct {
	Home   string              // the home directory, absolute
	Root   string              // the project root, absolute
	Getenv func(string) string // what agents themselves look at; nil knows nothing
	System string              // what settings of the machine lie below; "" is the root of the file system
}

// place returns where one of an agent's settings files lies, and the directory that has to be there for it.
func (a Agent) place(p Places, s Scope, rel string) (base, path string) {
	base = p.Home
	switch named := a.named(p); {
	case s == Project:
		base = p.Root
	case named != "":
		base = named
		if _, below, ok := strings.Cut(rel, "/"); ok && !a.is("above") {
			rel = below
		}
	}
	return base, filepath.Join(base, filepath.FromSlash(rel))
}

// named is the directory that the agent's variable names, "" if none.
func (a Agent) named(p Places) string {
	if !a.is("home") || p.Getenv == nil {
		return ""
	}
	return p.Getenv(a.get("home"))
}

const (
	maxSettings  = 4 << 20
	backupSuffix = ".handoff-backup"
)

// A file is where settings lie in the end, behind symbolic links, and what they are now.
type file struct {
	path   string   // as it is named
	dir    string   // the directory of the real file
	name   string   // of the real file in dir
	make   []string // the directories that are missing, the outermost first
	exists bool
	text   []byte
	backup []byte // the settings before the hook was added, nil if not known
	note   []string
	noted  bool // backup says that there was no file, and note which directories
}

// locate finds the settings of an agent, reads them, and refuses what must not be touched.
func (a Agent) locate(p Places, scope Scope) (file, error) {
	rel := a.get("user")
	if scope == Project {
		rel = a.get("project")
	}
	base, path := a.place(p, scope, rel)
	if !filepath.IsAbs(base) {
		if base != p.Home {
			return file{}, refuse("set it to an absolute path", "%s is %q", a.get("home"), base)
		}
		return file{}, refuse("set HOME", "the home directory %q is not known", base)
	}
	advice := ""
	if scope == User && a.named(p) != "" {
		advice = "make it, or set " + a.get("home") + " to the directory that " + a.Title + " uses"
	}
	if info, err := os.Stat(base); err != nil {
		return file{}, refuse(advice, "cannot use the directory %s: %v", base, err)
	} else if !info.IsDir() {
		return file{}, refuse(advice, "%s is not a directory", base)
	}
	f := file{path: path}
	if scope == Project {
		for at := path; within(at, base) && at != base; at = filepath.Dir(at) {
			if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return f, refuse("put a file or directory in its place", "%s is a symbolic link of the project", at)
			}
		}
	}
	if err := f.resolve(); err != nil {
		return f, err
	}
	return f, f.read()
}

// within reports whether a path is in a directory, by their names alone.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolve follows symbolic links to the real file, which may be missing with directories above it.
func (f *file) resolve() error {
	if _, err := os.Lstat(f.path); err == nil {
		real, err := filepath.EvalSymlinks(f.path)
		if err != nil {
			return refuse("mend the link", "%s leads nowhere: %v", f.path, err)
		}
		f.exists, f.dir, f.name = true, filepath.Dir(real), filepath.Base(real)
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return refuse("", "cannot use %s: %v", f.path, err)
	}
	f.name = filepath.Base(f.path)
	var missing []string
	dir := filepath.Dir(f.path)
	for {
		if _, err := os.Lstat(dir); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return refuse("", "cannot use %s: %v", dir, err)
		}
		missing = append([]string{filepath.Base(dir)}, missing...)
		dir = filepath.Dir(dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return refuse("mend the link", "%s leads nowhere: %v", dir, err)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return refuse("move it away", "%s is not a directory", dir)
	}
	for _, name := range missing {
		real = filepath.Join(real, name)
		f.make = append(f.make, real)
	}
	f.dir = real
	return nil
}

// read reads the settings and their backup.
func (f *file) read() error {
	if len(f.make) > 0 {
		return nil
	}
	d, err := disk.OpenDir(f.dir)
	if err != nil {
		return refuse("", "cannot use %s: %v", f.dir, err)
	}
	defer d.Close()
	if f.exists {
		if f.text, err = readOwn(d, f.name); err != nil {
			return refuse("nothing was changed", "cannot use %s: %v", f.path, err)
		}
	}
	f.readBackup(d)
	return nil
}

// readOwn reads a plain file that belongs to the caller and that the caller may write.
func readOwn(d *disk.Dir, name string) ([]byte, error) {
	file, err := d.OpenSole(name)
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

// noFile begins a backup that says that there was no file; the directories that were made for it follow, a
// line each. Settings never begin like this.
const noFile = "handoff: there was no file\n"

// readBackup reads the backup, if there is one that can be read. It only ever helps to take out the more
// exactly what was added.
func (f *file) readBackup(d *disk.Dir) {
	text, err := readOwn(d, f.name+backupSuffix)
	if err != nil {
		return
	}
	dirs, noted := strings.CutPrefix(string(text), noFile)
	if !noted {
		f.backup = text
		return
	}
	f.noted = true
	for line := range strings.Lines(dirs) {
		f.note = append(f.note, strings.TrimSuffix(line, "\n"))
	}
}
