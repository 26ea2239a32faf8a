//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A Batch stages many files of which few are open at a time: each is closed when it is synced. They
// have names in the directory StagingName, that of a locked file with a number behind it: that file
// protects them all.
type Batch struct {
	lock    *Staged
	staging *Dir
	count   atomic.Int64
}

// BeginBatch begins a batch in d, which End ends.
func (d *Dir) BeginBatch() (*Batch, error) {
	lock, err := d.createNamed(0o600)
	if err != nil {
		return nil, err
	}
	staging, err := d.openStaging()
	if err != nil {
		lock.Discard()
		return nil, err
	}
	return &Batch{lock: lock, staging: staging}, nil
}

// BeginStage writes data to a new file, which belongs to the batch. BeginSync for many of them and
// then Sync for each have to follow: so they wait for the disk together. Several goroutines may call
// it at a time.
func (b *Batch) BeginStage(data []byte, perm os.FileMode) (*Staged, error) {
	name := filepath.Base(b.lock.name) + "." + strconv.FormatInt(b.count.Add(1), 10)
	fd, err := b.staging.openat(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, uint32(perm.Perm()))
	if err != nil {
		return nil, err
	}
	s := &Staged{d: b.lock.d, f: os.NewFile(uintptr(fd), filepath.Join(b.staging.path, name)), name: StagingName + "/" + name, many: true}
	if err := s.fill(data); err != nil {
		return nil, err
	}
	return s, nil
}

// Close says that no more files are staged.
func (b *Batch) Close() { b.staging.Close() }

// End ends the batch, whose files were discarded.
func (b *Batch) End() { b.lock.Discard() }

// removeOrphans removes the files of batches whose locked file is gone: it is the first that is made
// and the last that is removed.
func (d *Dir) removeOrphans() {
	names, _ := d.Names(func(name string) bool { return lockOf(name) != "" })
	gone := make(map[string]bool)
	for _, name := range names {
		lock := lockOf(name)
		if _, known := gone[lock]; !known {
			_, err := d.Lstat(lock)
			gone[lock] = errors.Is(err, fs.ErrNotExist)
		}
		if gone[lock] {
			d.Remove(name)
		}
	}
}

// lockOf returns the name of the locked file of the batch that a file belongs to, "" for a file of none.
func lockOf(name string) string {
	lock, number, _ := strings.Cut(strings.TrimPrefix(name, TempPrefix), ".")
	if lock = TempPrefix + lock; isTemp(lock) && number != "" && strings.Trim(number, "0123456789") == "" {
		return lock
	}
	return ""
}
