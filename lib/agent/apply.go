package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

const lockWait = 5 * time.Second

// Apply makes the change. If another program changed the settings meanwhile, the error is ErrBusy. If it fails, the
// file is as it was.
func (c Change) Apply() error {
	if !c.Changes() && !c.tidy {
		return nil
	}
	return fault.Explain(c.write(), "cannot change "+c.Path, "run the command again")
}

// write writes the settings and the backup.
func (c Change) write() error {
	d, err := disk.Make(c.file.dir, c.file.modes)
	if err != nil {
		return err
	}
	defer d.Close()
	unlock, err := lockBriefly(d, c.file.name+lockSuffix)
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.unchanged(d); err != nil {
		return err
	}
	kept := c.file.name + backupSuffix
	if c.Status == Installed {
		err = d.Remove(kept) // from an earlier install
		if err == nil && c.file.exists {
			err = d.Replace(kept, c.file.text, 0o600, true)
		}
	}
	switch {
	case err != nil:
	case c.gone:
		err = d.Remove(c.file.name)
	case c.Changes():
		err = d.Replace(c.file.name, c.text, c.file.mode, true)
	}
	if c.tidy && err == nil || c.Status == Installed && err != nil {
		err = errors.Join(err, d.Remove(kept))
	}
	return cmp.Or(err, d.Sync())
}

// lockBriefly locks a file that goes again with its lock: who waits for it then locks a new one.
func lockBriefly(d *disk.Dir, name string) (unlock func(), err error) {
	release, err := d.Lock(context.Background(), name, lockWait)
	if err != nil {
		return nil, err
	}
	return func() {
		err := d.Remove(name)
		if release(); err != nil {
			_ = d.Remove(name) // Windows removes no open file
		}
	}, nil
}

// unchanged returns ErrBusy if the settings differ from those that the change was planned for.
func (c Change) unchanged(d *disk.Dir) error {
	now, err := d.Read(c.file.name, maxSettings)
	isSame := err == nil && c.file.exists && bytes.Equal(now, c.file.text)
	if isSame || errors.Is(err, fs.ErrNotExist) && !c.file.exists {
		return nil
	}
	return fault.Busy("run the command again", "another program has just changed %s", c.Path)
}
