package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// A Dir is an open directory. Names are names in it; through an os.Root they never lead out of it.
type Dir struct {
	Modes Modes // what new files get

	root *os.Root
	self *os.File
	path string
}

// Modes is what new files and directories get: 0660 and 2770 with a group, or 0600 and 0700.
type Modes struct {
	IsShared bool
	Group    int  // of what is shared; -1 keeps the one that the system gives
	IsPublic bool // new directories can be read by everybody, less the umask, as documents can
}

// of returns the mode of a new file or directory.
func (m Modes) of(isDir bool) fs.FileMode {
	switch {
	case isDir && m.IsShared && m.IsPublic:
		return fs.ModeSetgid | 0o775
	case isDir && m.IsShared:
		return fs.ModeSetgid | 0o770
	case isDir && m.IsPublic:
		return 0o755
	case isDir:
		return 0o700
	case m.IsShared:
		return 0o660
	}
	return 0o600
}

// ModesOf returns the modes of a store with these directories. It is shared if one of those that exist is writable
// for its group or has the setgid bit; then it has the group of the first such one.
func ModesOf(paths ...string) Modes {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() || info.Mode()&(0o020|fs.ModeSetgid) == 0 {
			continue
		}
		if _, group := ownerOf(info); group >= 0 { // else the system has no groups
			return Modes{IsShared: true, Group: group}
		}
	}
	return Modes{Group: -1}
}

// Open opens the directory at path; a link to one is followed. A missing one is fs.ErrNotExist, anything else that is
// there fault.ErrConfig.
func Open(path string) (*Dir, error) {
	info, err := os.Stat(path) // opening a FIFO would wait
	if errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir() {
		return nil, notDirectory(path)
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	self, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Dir{Modes{Group: -1}, root, self, path}, nil
}

func notDirectory(path string) error {
	return fault.Config("move away what is there, or choose another place", "%s is not a directory", path)
}

// Make is Open with modes, and makes a missing directory and its missing parents, without a sync. A new directory gets
// its mode and group from m; one that root makes belongs to the owner of the directory above.
func Make(path string, m Modes) (*Dir, error) {
	d, err := Open(path)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		if err = makeIn(filepath.Dir(path), filepath.Base(path), m); err != nil {
			return nil, err
		}
		if d, err = Open(path); errors.Is(err, fs.ErrNotExist) {
			err = notDirectory(path) // a link that leads nowhere
		}
	}
	if err != nil {
		return nil, err
	}
	d.Modes = m
	return d, nil
}

func makeIn(parent, name string, m Modes) error {
	d, err := Make(parent, m)
	if err != nil {
		return err
	}
	defer d.Close()
	perm, mode := fs.FileMode(0o700), m.of(true)
	if m.IsPublic {
		if perm = 0o755; !m.IsShared {
			mode = 0
		}
	}
	if err = d.root.Mkdir(name, perm); errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return d.named(name, err)
	}
	made, err := d.root.Open(name)
	if err != nil {
		return d.named(name, err)
	}
	defer made.Close()
	if found, _ := made.Readdirnames(1); len(found) > 0 {
		return nil // somebody put another one there, which root must not give away
	}
	return d.settle(made, nil, mode)
}

// Path returns the path that d was opened with.
func (d *Dir) Path() string { return d.path }

// Close closes d.
func (d *Dir) Close() error { return errors.Join(d.self.Close(), d.root.Close()) }

// Names returns the names in d that keep accepts, sorted.
func (d *Dir) Names(keep func(string) bool) ([]string, error) {
	f, err := d.root.Open(".") // self has one position for all
	if err != nil {
		return nil, d.named(".", err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	names = slices.DeleteFunc(names, func(name string) bool { return !keep(name) })
	slices.Sort(names)
	return names, err
}

// Stat describes what has the name, without following a link.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	info, err := d.root.Lstat(name)
	return info, d.named(name, err)
}

// Sync makes the names in d survive a power cut. A system that cannot sync a directory is believed.
func (d *Dir) Sync() error {
	if err := d.self.Sync(); runtime.GOOS != "windows" && !isUnsupported(err) {
		return err
	}
	return nil
}

// SyncParents syncs the directories that hold path, up to and including top, or the first alone if path is not below
// top. One that this user cannot read is skipped: somebody else made it.
func SyncParents(path, top string) error {
	for {
		path = filepath.Dir(path)
		d, err := Open(path)
		if err == nil {
			err = d.Sync()
			d.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		if below, err := filepath.Rel(top, path); err != nil || below == "." || !filepath.IsLocal(below) {
			return nil
		}
	}
}

// Adjust gives a file or directory that this user owns the mode and the group of Modes. "." is d itself. Errors are
// ignored.
func (d *Dir) Adjust(name string) {
	f, err := d.root.OpenFile(name, openFlags, 0)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return
	}
	want := d.Modes.of(info.IsDir())
	user, group := ownerOf(info)
	isRight := info.Mode()&(fs.ModePerm|fs.ModeSetgid) == want &&
		(!d.Modes.IsShared || d.Modes.Group < 0 || d.Modes.Group == group)
	if user == os.Geteuid() && !isRight {
		_ = d.settle(f, info, want)
	}
}

// IsOwn reports whether a file belongs to this user. On Windows each does.
func IsOwn(info fs.FileInfo) bool {
	user, _ := ownerOf(info)
	return user == os.Geteuid()
}

// User returns the number of the user whom this program works for: root works for the owner of d. On Windows it is -1.
func (d *Dir) User() int {
	user := os.Geteuid()
	if info, err := d.self.Stat(); user == 0 && err == nil {
		user, _ = ownerOf(info)
	}
	return user
}

// settle gives an open file its mode, unless that is 0, and its group, if it is shared. From root it gets the owner of
// old, the file that it replaces, or else of d.
func (d *Dir) settle(f *os.File, old fs.FileInfo, mode fs.FileMode) (err error) {
	user, group := -1, -1
	if os.Geteuid() == 0 {
		if old == nil {
			if old, err = d.self.Stat(); err != nil {
				return err
			}
		}
		user, group = ownerOf(old)
	}
	if d.Modes.IsShared && d.Modes.Group >= 0 {
		group = d.Modes.Group
	}
	if user >= 0 || group >= 0 {
		err = f.Chown(user, group)
	}
	if mode != 0 { // after the owner, whose change clears bits of the mode
		err = cmp.Or(f.Chmod(mode), err)
	}
	if errors.Is(err, fs.ErrPermission) || isUnsupported(err) { // a mount may decide owners and modes alone
		return nil
	}
	return err
}

func isUnsupported(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

// named gives an error of the root the whole path.
func (d *Dir) named(name string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", filepath.Join(d.path, name), err)
}
