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
	"github.com/seed-78daf238/handoff/lib/internal/settings"
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
	base, below, variable := p.Home, user, "HOME"
	if named := p.Getenv(cmp.Or(a.Home, "HOME")); a.Home != "" && named != "" {
		base, variable = named, a.Home
		if !a.HomeIsAbove {
			_, below, _ = strings.Cut(user, "/")
		}
	}
	f.mode = 0o600
	if p.IsProject {
		base, below, f.mode = p.Root, project, 0o644
	}
	if !filepath.IsAbs(base) {
		return f, fault.Config("set "+variable+" to an absolute path", "%s is %q", variable, base)
	}
	f.path, f.modes = filepath.Join(base, filepath.FromSlash(below)), disk.ModesOf(base)
	if p.IsProject { // a clone may bring links
		err = settings.CheckLinks(f.path)
	}
	if err == nil {
		f.real, err = store.Resolve(f.path)
	}
	if err == nil {
		err = f.read()
	}
	return f, err
}

const (
	maxSettings  = 1 << 20 // so that the parser cannot exhaust its stack
	backupSuffix = ".handoff-backup"
)

// A file is a settings file and its content.
type file struct {
	path   string      // as given
	real   string      // with symbolic links resolved
	mode   os.FileMode // of a new file
	modes  disk.Modes  // of new directories
	text   []byte      // nil for no file
	backup []byte      // the settings before our entries were added, nil if there were none
}

// read reads the settings and their backup. A file that cannot be replaced is ErrConfig.
func (f *file) read() error {
	info, err := os.Lstat(f.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is no plain file")
	case !disk.IsOwn(info):
		err = errors.New("it belongs to another user")
	case info.Size() > maxSettings:
		err = fmt.Errorf("it has more than %d bytes", maxSettings)
	default:
		f.text, err = os.ReadFile(f.real)
		f.backup, _ = os.ReadFile(f.real + backupSuffix) // without it, undoing removes our entries alone
	}
	if err != nil {
		return fault.Config("nothing was changed", "cannot use %s: %v", f.path, err)
	}
	return nil
}

// replace writes the settings, or removes them if text is nil. If another program has changed them, the error is
// ErrBusy. If it fails, the file is as it was. keep becomes the backup; nil removes it.
func (f file) replace(text, keep []byte) error {
	now, err := os.ReadFile(f.real)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil || (now == nil) != (f.text == nil) || !bytes.Equal(now, f.text) {
		return cmp.Or(err, fault.Busy("run the command again", "another program has just changed %s", f.path))
	}
	d, err := disk.Make(filepath.Dir(f.real), f.modes)
	if err != nil {
		return err
	}
	defer d.Close()
	name := filepath.Base(f.real)
	put := func(name string, text []byte, mode os.FileMode) {
		switch {
		case err != nil:
		case text == nil:
			err = d.Remove(name)
		default:
			err = d.Replace(name, text, mode, true)
		}
	}
	if keep != nil {
		put(name+backupSuffix, keep, 0o600)
	}
	put(name, text, f.mode)
	if keep == nil {
		put(name+backupSuffix, nil, 0)
	}
	return cmp.Or(err, d.Sync())
}
