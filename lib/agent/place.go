package agent

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// Places are the directories and variables by which settings are found.
type Places struct {
	Home      string              // the home directory, absolute
	Root      string              // the project root, absolute
	IsProject bool                // the settings of the project, not those of the user
	Getenv    func(string) string // the environment of the agent
}

// locate finds and reads settings, which the row has for the user and for a project. If they must not be changed, the
// error is ErrConfig.
func (p Places) locate(a Agent, user, project string) (f file, err error) {
	named, base, below := "", p.Home, user
	if a.Home != "" {
		named = p.Getenv(a.Home)
	}
	switch _, rest, _ := strings.Cut(user, "/"); {
	case p.IsProject:
		base, below = p.Root, project
	case named != "" && a.HomeIsAbove:
		base = named
	case named != "":
		base, below = named, rest
	}
	if !filepath.IsAbs(base) {
		name := "HOME"
		if named != "" {
			name = a.Home
		}
		return f, fault.Config("set "+name+" to an absolute path", "%s is %q", name, base)
	}
	f = file{path: filepath.Join(base, filepath.FromSlash(below)), mode: 0o600, modes: disk.ModesOf(base)}
	if p.IsProject {
		f.mode = 0o644
		for at := f.path; len(at) > len(filepath.Clean(base)); at = filepath.Dir(at) {
			if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return f, fault.Config("put a file or directory in its place",
					"%s is a symbolic link of the project", at)
			}
		}
	}
	real, err := store.Resolve(f.path)
	if err != nil {
		return f, err
	}
	f.exists, f.dir, f.name = store.IsThere(real), filepath.Dir(real), filepath.Base(real)
	return f, f.read()
}

const (
	maxSettings  = 1 << 20 // so that the parser cannot exhaust its stack
	backupSuffix = ".handoff-backup"
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
	backup []byte // the settings before our entries were added, nil if there were none
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
		f.backup, _ = readOwn(d, f.name+backupSuffix) // without it, undoing removes our entries alone
	}
	return nil
}

// readOwn reads a regular file that the user owns and can write.
func readOwn(d *disk.Dir, name string) ([]byte, error) {
	info, err := d.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no plain file")
	case !disk.IsOwn(info):
		return nil, errors.New("it belongs to another user")
	case info.Mode().Perm()&0o200 == 0:
		return nil, errors.New("it is read-only")
	case info.Size() > maxSettings:
		return nil, fmt.Errorf("it has more than %d bytes", maxSettings)
	}
	return d.Read(name, maxSettings)
}

// replace writes the settings, or removes them if text is nil. If another program has changed them, the error is
// ErrBusy. If it fails, the file is as it was. keep says whether the settings from before are kept in the backup;
// without it the backup goes, unless it is still needed.
func (f file) replace(text []byte, b backup) error {
	d, err := disk.Make(f.dir, f.modes)
	if err != nil {
		return err
	}
	defer d.Close()
	now, err := d.Read(f.name, maxSettings)
	isSame := err == nil && f.exists && bytes.Equal(now, f.text)
	if !isSame && (f.exists || !errors.Is(err, fs.ErrNotExist)) {
		return fault.Busy("run the command again", "another program has just changed %s", f.path)
	}
	kept := f.name + backupSuffix
	if err = nil; b == newBackup {
		if err = d.Remove(kept); err == nil && f.exists {
			err = d.Replace(kept, f.text, 0o600, true)
		}
	}
	switch {
	case err != nil:
	case text == nil:
		err = d.Remove(f.name)
	default:
		err = d.Replace(f.name, text, f.mode, true)
	}
	if (err == nil) == (b == noBackup) && b != sameBackup {
		err = errors.Join(err, d.Remove(kept))
	}
	return cmp.Or(err, d.Sync())
}

// A backup says what happens to the settings from before.
type backup int

const (
	sameBackup backup = iota // they stay
	newBackup                // they are kept
	noBackup                 // they go
)
