package check

import (
	"errors"
	"io/fs"
	"math"

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

// quarantineUnsafe makes the files of the store regular files. It quarantines what commands refuse to read: a
// symbolic link, a FIFO, a directory, or a file that is too large. It leaves the pinned keys alone: without them other
// keys would be trusted.
func (m *repair) quarantineUnsafe() error {
	isIndex := func(name string) bool { return name == disk.IndexFile || disk.IsArchive(name) }
	names, err := m.Dir.Names(func(name string) bool { return isIndex(name) || index.IsFile(name) })
	for _, name := range names {
		if err == nil {
			err = m.makeRegular(m.Dir, name, disk.MaxIndex)
		}
		if err == nil && isIndex(name) {
			err = m.quarantineUnreadable(name)
		}
	}
	if err != nil {
		return err
	}
	names, err = m.State.Names(func(name string) bool { return disk.IsOfState(name) && name != disk.Pins })
	for _, name := range names {
		max := int64(math.MaxInt64)
		switch name {
		case disk.Ledger, disk.Tombstones:
			max = disk.MaxLedger
		case disk.LogFile:
			max = disk.MaxLog
		}
		if err == nil {
			err = m.makeRegular(m.State, name, max)
		}
	}
	return err
}

// makeRegular makes sure that a name of the store is a regular file of at most max bytes. A log that only grew too
// large stays: events can follow it.
func (m *repair) makeRegular(d *disk.Dir, name string, max int64) error {
	entry, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !entry.Regular:
		return m.quarantine(d, name, "it is not a regular file")
	case entry.Size > max && name == disk.LogFile:
		if err := m.CheckLastEvent(); !errors.Is(err, fault.ErrIntegrity) {
			return err
		}
		return m.quarantine(d, name, "it is too large, and no event can follow its end")
	case entry.Size > max:
		return m.quarantine(d, name, "it is too large")
	}
	return nil
}

// quarantineUnreadable quarantines an index file that is not a table.
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
