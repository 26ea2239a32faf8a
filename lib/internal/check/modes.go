package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/index"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// checkDirMode warns about a directory that all users can write to. They could remove files, but a changed
// file would be found.
func (c *check) checkDirMode(d *disk.Dir) {
	info, err := d.Stat()
	if err != nil {
		c.fault(d.Path(), "", "cannot be read: %v", err)
	} else if info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
		c.warn(d.Path(), "chmod o-w "+store.ShellQuote(d.Path()), "is writable by all users")
	}
}

// checkStateOwner finds a directory that the owner of the store cannot open, since root made it.
func (c *check) checkStateOwner() {
	owner, err := c.Dir.Lstat(".")
	for _, name := range []string{".", disk.Drafts} {
		made, serr := c.State.Lstat(name)
		if err == nil && serr == nil && made.Owner != owner.Owner {
			path := filepath.Join(c.State.Path(), name)
			c.warn(path, fmt.Sprintf("chown -R %d %s", owner.Owner, store.ShellQuote(path)),
				"belongs to another user than the handoffs directory")
			return
		}
	}
}

// checkFileMode finds a harmful mode that no command sets.
func (c *check) checkFileMode(d *disk.Dir, name string, file disk.Entry) {
	mode := "644"
	if d == c.State {
		mode = "600"
	}
	odd := ""
	switch {
	case file.Special:
		odd = "has a setuid, setgid or sticky bit"
	case file.Mode&0o400 == 0:
		odd = "cannot be read by its owner"
	case file.Mode&0o002 != 0 && d == c.Dir:
		odd = "is writable by all users"
	default:
		return
	}
	place := name
	if index.IsFile(name) {
		place = c.RelPath(name)
	}
	c.warn(place, chmod(mode, d, name), "%s", odd)
}

// checkOwnFile is checkFileMode for the files that commands replace, which must belong to the owner of the
// store.
func (c *check) checkOwnFile(d *disk.Dir, name string, file disk.Entry) {
	if !file.Regular {
		return // another finding covers it
	}
	c.checkFileMode(d, name, file)
	if here, err := d.Lstat("."); err == nil && here.Owner != file.Owner {
		c.warn(name, fmt.Sprintf("chown %d %s", here.Owner, store.ShellQuote(filepath.Join(d.Path(), name))),
			"belongs to another user than its directory")
	}
}

// checkLock checks the lock file as a writing command does.
func (c *check) checkLock(file disk.Entry) {
	path := store.ShellQuote(filepath.Join(c.Dir.Path(), disk.Lock))
	if !file.Regular {
		c.fault(disk.Lock, "mv "+path+" "+path+".odd", "is not a regular file, and writing commands refuse")
		return
	}
	c.checkOwnFile(c.Dir, disk.Lock, file)
	f, err := c.Dir.OpenSole(disk.Lock)
	if err == nil {
		f.Close()
	} else if errors.Is(err, disk.ErrUnsafe) {
		c.fault(disk.Lock, "rm "+path, "has a second hard link, and writing commands refuse")
	}
}

// chmod returns the command that fixes the mode of a file.
func chmod(mode string, d *disk.Dir, name string) string {
	return "chmod " + mode + " " + store.ShellQuote(filepath.Join(d.Path(), name))
}
