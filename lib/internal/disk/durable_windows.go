package disk

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"time"
)

// A Dir is a directory whose files can be read. On this system, methods that write return ErrUnsupported.
type Dir struct {
	f    *os.File
	path string
	view View
}

// A Staged file cannot exist on this system.
type Staged struct{}

// OpenDir opens the directory at path. A symbolic link is ErrUnsafe; those above it are followed on this
// system.
func OpenDir(path string) (*Dir, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, unsafeEntry(path, "not a directory (symbolic links are refused)")
	}
	f, err := os.Open(path)
	return &Dir{f: f, path: path}, err
}

// IsPlain returns false: this system cannot check a path in one call.
func IsPlain(string) bool { return false }

// OpenDir opens the directory name in d.
func (d *Dir) OpenDir(name string) (*Dir, error) { return OpenDir(filepath.Join(d.path, name)) }

// Reopen opens d once more.
func (d *Dir) Reopen() (*Dir, error) { return OpenDir(d.path) }

// Path returns the path that d was opened with.
func (d *Dir) Path() string { return d.path }

// Stat describes the directory itself.
func (d *Dir) Stat() (os.FileInfo, error) { return d.f.Stat() }

// Share opens d once more, with a view of its own.
func (d *Dir) Share() *Dir {
	again, err := d.Reopen()
	if err != nil {
		return &Dir{path: d.path}
	}
	return again
}

// Close closes the directory.
func (d *Dir) Close() error { return d.f.Close() }

// Open opens the regular file name for reading. Any other entry is ErrUnsafe.
func (d *Dir) Open(name string) (*os.File, error) {
	path := filepath.Join(d.path, name)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, unsafeEntry(path, "not a regular file")
	}
	return os.Open(path)
}

// OpenSole is Open.
func (d *Dir) OpenSole(name string) (*os.File, error) { return d.Open(name) }

// AppendEntry is AppendFile and Lstat in one.
func (d *Dir) AppendEntry(data []byte, name string, max int64) ([]byte, Entry, error) {
	entry, err := d.Lstat(name)
	if err != nil {
		return nil, entry, err
	}
	f, err := d.Open(name)
	if err != nil {
		return nil, entry, err
	}
	defer f.Close()
	text, err := ReadAll(f, max)
	return append(data, text...), entry, err
}

// entry is Lstat without a view. This system has no permission bits for others.
func (d *Dir) entry(name string) (Entry, error) {
	info, err := os.Lstat(filepath.Join(d.path, name))
	if err != nil {
		return Entry{}, err
	}
	return Entry{Regular: info.Mode().IsRegular(), Size: info.Size(), Mode: info.Mode() & 0o700}, nil
}

// Stamp returns ErrUnsupported.
func (d *Dir) Stamp(string) (string, time.Time, error) { return "", time.Time{}, ErrUnsupported }

// Sync returns ErrUnsupported.
func (d *Dir) Sync() error { return ErrUnsupported }

// OpenLog returns ErrUnsupported.
func (d *Dir) OpenLog(string, bool) (*Log, error) { return nil, ErrUnsupported }

// A Log cannot be opened on this system.
type Log struct{ *os.File }

// CanBeCut returns ErrUnsupported.
func (l *Log) CanBeCut() error { return ErrUnsupported }

// Append returns ErrUnsupported.
func (l *Log) Append([]byte) error { return ErrUnsupported }

// Reserve returns ErrUnsupported.
func (l *Log) Reserve(int64) error { return ErrUnsupported }

// Remove returns ErrUnsupported.
func (d *Dir) Remove(string) error { return ErrUnsupported }

// RemoveStaged returns ErrUnsupported.
func (d *Dir) RemoveStaged(func(string) bool) ([]string, error) { return nil, ErrUnsupported }

// CollectStaged does nothing.
func (d *Dir) CollectStaged() {}

// Touch returns ErrUnsupported.
func (d *Dir) Touch(string, os.FileMode) error { return ErrUnsupported }

// Replace returns ErrUnsupported.
func (d *Dir) Replace(string, []byte, os.FileMode) error { return ErrUnsupported }

// ReplaceIf returns ErrUnsupported.
func (d *Dir) ReplaceIf(string, []byte, os.FileMode, func() error) error { return ErrUnsupported }

// File returns the open directory.
func (d *Dir) File() *os.File { return d.f }

// Lock returns ErrUnsupported.
func (d *Dir) Lock(context.Context, time.Duration) error { return ErrUnsupported }

// Unlock does nothing.
func (d *Dir) Unlock() {}

// Stage returns ErrUnsupported.
func (d *Dir) Stage([]byte, os.FileMode) (*Staged, error) { return nil, ErrUnsupported }

// BeginStage returns ErrUnsupported.
func (d *Dir) BeginStage([]byte, os.FileMode) (*Staged, error) { return nil, ErrUnsupported }

// Write returns ErrUnsupported.
func (s *Staged) Write([]byte) (int, error) { return 0, ErrUnsupported }

// ReadAt returns ErrUnsupported.
func (s *Staged) ReadAt([]byte, int64) (int, error) { return 0, ErrUnsupported }

// Sync returns ErrUnsupported.
func (s *Staged) Sync() error { return ErrUnsupported }

// TakeMode returns ErrUnsupported.
func (s *Staged) TakeMode(string) error { return ErrUnsupported }

// Publish returns ErrUnsupported.
func (s *Staged) Publish(string) error { return ErrUnsupported }

// Discard does nothing.
func (s *Staged) Discard() {}

// MakeDir returns ErrUnsupported.
func MakeDir(string, os.FileMode) (*Dir, error) { return nil, ErrUnsupported }

// MakeDir returns ErrUnsupported.
func (d *Dir) MakeDir(string, os.FileMode) (*Dir, error) { return nil, ErrUnsupported }

// SyncParents returns ErrUnsupported.
func SyncParents(string, ...string) error { return ErrUnsupported }

// Rename returns ErrUnsupported.
func (d *Dir) Rename(string, string) error { return ErrUnsupported }

// Link returns ErrUnsupported.
func (d *Dir) Link(string, string) error { return ErrUnsupported }

// MaxOpen returns how many files the process may have open at a time.
func MaxOpen() uint64 { return math.MaxUint64 }
