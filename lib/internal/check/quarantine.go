package check

import (
	"errors"
	"io/fs"

	"github.com/seed-78daf238/handoff/lib/fault"

	"github.com/seed-78daf238/handoff/lib/internal/index"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
	"github.com/seed-78daf238/handoff/lib/internal/store"
)

// keepCopy stores a copy of text in the same directory, durably.
func (m *repair) keepCopy(d *disk.Dir, name string, text []byte) error {
	if err := d.CreateNew(name, text, 0o600); err != nil {
		return err
	}
	return d.Sync()
}

// quarantineUnsafe makes the files of the store regular files. It quarantines a symbolic link, a FIFO or a
// directory, and replaces a file with a second hard link by a copy.
func (m *repair) quarantineUnsafe() error {
	names, err := m.Dir.Names(func(name string) bool {
		return name == disk.IndexFile || disk.IsArchive(name) || index.IsFile(name)
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		isSole := name == disk.IndexFile || disk.IsArchive(name)
		if err := m.makeRegular(m.Dir, name, isSole, 0o644); err != nil {
			return err
		}
		if isSole {
			if err := m.quarantineUnreadable(name); err != nil {
				return err
			}
		}
	}
	return m.quarantineUnsafeState()
}

// quarantineUnsafeState is quarantineUnsafe for the state directory. It leaves the pinned keys alone: without
// them other keys would be trusted.
func (m *repair) quarantineUnsafeState() error {
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
		if err := m.makeRegular(m.State, name, name == disk.Ledger || name == disk.LogFile, 0o600); err != nil {
			return err
		}
	}
	return m.quarantineOversized()
}

// quarantineOversized quarantines a log that is too large to read and that no event can follow. A log that
// only grew too large stays.
func (m *repair) quarantineOversized() error {
	entry, err := m.State.Lstat(disk.LogFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && entry.Size <= disk.MaxLog {
		return nil
	}
	if err == nil {
		err = m.CheckLastEvent()
	}
	if errors.Is(err, fault.ErrIntegrity) {
		return m.quarantine(m.State, disk.LogFile, "it is too large, and no event can follow its end")
	}
	return err
}

// makeRegular makes sure that a name of the store is a regular file. If isSole is set, the file must have no
// other name, through which another user could change it. The content stays.
func (m *repair) makeRegular(d *disk.Dir, name string, isSole bool, mode fs.FileMode) error {
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
	m.did("replaced %s by a copy: it had a second hard link", name)
	return d.Sync()
}

// quarantineUnreadable quarantines an index file that is too large to be a table.
func (m *repair) quarantineUnreadable(name string) error {
	_, err := store.ReadIndex(m.Dir, name)
	if corrupt := (*fault.CorruptError)(nil); errors.As(err, &corrupt) {
		return m.quarantine(m.Dir, name, "it "+corrupt.Why)
	}
	return err
}

// removeLeftovers removes the unpublished files of killed commands.
func (m *repair) removeLeftovers() error {
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
