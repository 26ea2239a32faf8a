package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/jsontree"
	"github.com/seed-78daf238/handoff/lib/internal/store"
	"github.com/seed-78daf238/handoff/lib/internal/txn"
)

// asideName returns the name that a file gets when it goes aside. A name that would be too long is
// cut, and ends with a hash of the whole.
func (m *mending) asideName(name string) string {
	const most = 255 // bytes, in every file system
	aside := disk.Quarantine + m.stamp + "-" + name
	if len(aside) <= most {
		return aside
	}
	end := "-" + jsontree.SHA256Hex([]byte(name))[:16] + filepath.Ext(name)
	return aside[:most-len(end)] + end
}

// moveAside gives a file another name in the same directory, whatever it is.
func (m *mending) moveAside(d *disk.Dir, from, to string) error {
	if err := d.Rename(from, to); err != nil {
		return fmt.Errorf("cannot put %s aside: %w", filepath.Join(d.Path(), from), err)
	}
	return d.Sync()
}

// keepCopy publishes a copy of text beside the file that it is from.
func (m *mending) keepCopy(d *disk.Dir, name string, text []byte) error {
	if err := txn.PublishNew(d, name, text); err != nil {
		return err
	}
	return d.Sync()
}

// displaceOdd makes the store's own files plain ones again: a symbolic link, a FIFO or a directory in
// the place of one goes aside, a second hard link is cut by a copy.
func (m *mending) displaceOdd() error {
	names, err := m.Dir.Names(func(name string) bool {
		return name == disk.IndexFile || disk.IsArchive(name) || index.IsFile(name)
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		isSole := name == disk.IndexFile || disk.IsArchive(name)
		if err := m.makePlain(m.Dir, name, isSole, 0o644); err != nil {
			return err
		}
		if isSole {
			if err := m.displaceUnreadable(name); err != nil {
				return err
			}
		}
	}
	return m.displaceOddState()
}

// displaceOddState is displaceOdd for the state directory. The pinned keys are left alone: without them
// other keys would be trusted.
func (m *mending) displaceOddState() error {
	names, err := m.State.Names(func(name string) bool { return disk.IsOfState(name) && name != disk.Pins })
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == disk.Ledger || name == disk.Tombstones {
			if entry, err := m.State.Lstat(name); err == nil && entry.Regular && entry.Size > disk.MaxLedger {
				if err := m.quarantine(m.State, name, "it is too large"); err != nil {
					return err
				}
			}
		}
		if err := m.makePlain(m.State, name, name == disk.Ledger || name == disk.LogFile, 0o600); err != nil {
			return err
		}
	}
	return m.displaceEndless()
}

// displaceEndless puts a log aside that is too large to be read and that no event can follow, so that it
// cannot be cut where it breaks. One that only grew goes on.
func (m *mending) displaceEndless() error {
	entry, err := m.State.Lstat(disk.LogFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && entry.Size <= disk.MaxLog {
		return nil
	}
	if err == nil {
		err = m.MayGoOn()
	}
	if errors.Is(err, fault.ErrIntegrity) {
		return m.quarantine(m.State, disk.LogFile, "it is too large, and no event can follow its end")
	}
	return err
}

// makePlain makes sure that a name of the store is a regular file, and the only name of it where isSole
// asks for that: through a second name somebody else could change it. The content stays.
func (m *mending) makePlain(d *disk.Dir, name string, isSole bool, mode fs.FileMode) error {
	entry, err := d.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !entry.Regular {
		return m.quarantine(d, name, "it is not a regular file")
	}
	if !isSole {
		return nil
	}
	f, err := d.OpenSole(name)
	if !errors.Is(err, disk.ErrUnsafe) {
		if err == nil {
			f.Close()
		}
		return err
	}
	text, err := d.ReadFile(name, disk.MaxLog)
	if err != nil {
		return err
	}
	if err := d.Replace(name, text, mode); err != nil {
		return err
	}
	m.did("made %s a file of its own: it had a second hard link", name)
	return d.Sync()
}

// displaceUnreadable puts an index file aside that is no table for its size.
func (m *mending) displaceUnreadable(name string) error {
	_, err := store.ReadIndex(m.Dir, name)
	if corrupt := (*fault.CorruptError)(nil); errors.As(err, &corrupt) {
		return m.quarantine(m.Dir, name, "it "+corrupt.Why)
	}
	return err
}

// removeLeftovers takes away what a command that died had staged and never given a name.
func (m *mending) removeLeftovers() error {
	for _, d := range []*disk.Dir{m.Dir, m.State} {
		removed, err := d.RemoveStaged(disk.IsReplaced)
		if err != nil {
			return err
		}
		for _, name := range removed {
			m.did("removed %s, which an interrupted command left", name)
		}
	}
	return nil
}
