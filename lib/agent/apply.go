package agent

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"syscall"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

var errChanged = errors.New("another program changed the file")

const (
	attempts = 5
	lockWait = 5 * time.Second
)

// Apply makes the change and returns it. If another program changed the settings meanwhile, Apply plans the
// change again. If it fails, the file is as it was.
func (c Change) Apply() (Change, error) {
	for range attempts {
		err := c.write()
		if !errors.Is(err, errChanged) {
			return c, c.failed(err)
		}
		if c, err = c.again(); err != nil {
			return c, err
		}
	}
	return c, fault.Busy("try again", "another program keeps changing %s", fault.Own(c.Path))
}

// failed returns an error of the operating system that a person can fix as a refusal. Others are I/O failures.
func (c Change) failed(err error) error {
	for _, unfit := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, disk.ErrUnsafe,
		disk.ErrUnsupported} {
		if errors.Is(err, unfit) {
			return refuse("nothing was changed", "cannot change %s: %v", c.Path, err)
		}
	}
	return err
}

// write writes the settings and the backup.
func (c Change) write() error {
	if !c.Changes() && !c.tidy {
		return nil
	}
	d, err := disk.MakeDir(c.file.dir, 0o755)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Lock(context.Background(), lockWait); err != nil {
		return fault.Busy("", "%v", err)
	}
	if err := c.unchanged(d); err != nil {
		return err
	}
	switch {
	case c.tidy:
		return errors.Join(d.Remove(c.file.name+backupSuffix), d.Sync())
	case c.Status == Removed:
		return c.takeOut(d)
	}
	return c.putIn(d)
}

// unchanged returns errChanged if the settings differ from those that the change was planned for.
func (c Change) unchanged(d *disk.Dir) error {
	now, err := d.ReadFile(c.file.name, maxSettings)
	if errors.Is(err, fs.ErrNotExist) && !c.file.exists {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || !c.file.exists || !bytes.Equal(now, c.file.text) {
		return errChanged
	}
	return nil
}

// putIn backs up the settings, unless it only updates an entry of ours, and writes the new ones.
func (c Change) putIn(d *disk.Dir) error {
	kept := c.file.name + backupSuffix
	if c.Status == Installed {
		if err := d.Remove(kept); err != nil { // from an earlier install
			return err
		}
		if c.file.exists {
			if err := d.Replace(kept, c.file.text, 0o600); err != nil {
				return err
			}
		}
	}
	err := d.ReplaceIf(c.file.name, c.text, c.file.mode, func() error { return c.unchanged(d) })
	if err != nil && c.Status == Installed {
		return errors.Join(err, d.Remove(kept))
	}
	return errors.Join(err, d.Sync())
}

// takeOut writes the settings without the hook, or removes the file if there was none before. It removes the
// backup once the old settings are back.
func (c Change) takeOut(d *disk.Dir) error {
	kept := c.file.name + backupSuffix
	if c.gone {
		return errors.Join(d.Remove(c.file.name), d.Sync())
	}
	err := d.ReplaceIf(c.file.name, c.text, c.file.mode, func() error { return c.unchanged(d) })
	if err == nil && bytes.Equal(c.text, c.file.backup) {
		err = d.Remove(kept)
	}
	return errors.Join(err, d.Sync())
}
