package agent

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

const lockWait = 5 * time.Second

// Apply makes the change. If another program changed the settings meanwhile, the error is ErrBusy. If it fails, the
// file is as it was.
func (c Change) Apply() error {
	if !c.Changes() && !c.tidy {
		return nil
	}
	err := store.PlaceError(c.file.dir, c.write()) // on Windows, too: nothing can be written there
	return fault.Explain(err, "cannot change "+c.Path, "run the command again")
}

// write writes the settings and the backup.
func (c Change) write() error {
	d, err := disk.MakeDir(c.file.dir, 0o755)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Lock(context.Background(), lockWait); errors.Is(err, disk.ErrHeld) {
		return fault.Busy("", "%v", err)
	} else if err != nil {
		return err
	}
	if err := c.unchanged(d); err != nil {
		return err
	}
	kept := c.file.name + backupSuffix
	if c.Status == Installed {
		err = d.Remove(kept) // from an earlier install
		if err == nil && c.file.exists {
			err = d.Replace(kept, c.file.text, 0o600)
		}
	}
	switch {
	case err != nil:
		return err
	case c.gone:
		err = d.Remove(c.file.name)
	case c.Changes():
		err = d.ReplaceIf(c.file.name, c.text, c.file.mode, func() error { return c.unchanged(d) })
	}
	if c.tidy && err == nil || c.Status == Installed && err != nil {
		err = errors.Join(err, d.Remove(kept))
	}
	return errors.Join(err, d.Sync())
}

// unchanged returns ErrBusy if the settings differ from those that the change was planned for.
func (c Change) unchanged(d *disk.Dir) error {
	now, err := d.ReadFile(c.file.name, maxSettings)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !c.file.exists:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil || !c.file.exists || !bytes.Equal(now, c.file.text):
		return fault.Busy("run the command again", "another program has just changed %s", c.Path)
	}
	return nil
}
