package disk

import (
	"os"
	"path/filepath"
	"time"
)

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

// OpenDir opens the directory name in d.
func (d *Dir) OpenDir(name string) (*Dir, error) { return OpenDir(filepath.Join(d.path, name)) }

// Reopen opens d once more.
func (d *Dir) Reopen() (*Dir, error) { return OpenDir(d.path) }

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

// Remove returns ErrUnsupported.
func (d *Dir) Remove(string) error { return ErrUnsupported }

// ReplaceIf returns ErrUnsupported.
func (d *Dir) ReplaceIf(string, []byte, os.FileMode, func() error) error { return ErrUnsupported }

// Unlock does nothing.
func (d *Dir) Unlock() {}

// BeginStage returns ErrUnsupported.
func (d *Dir) BeginStage([]byte, os.FileMode) (*Staged, error) { return nil, ErrUnsupported }

// Publish returns ErrUnsupported.
func (s *Staged) Publish(string) error { return ErrUnsupported }

// Discard does nothing.
func (s *Staged) Discard() {}

// MakeDir returns ErrUnsupported.
func (d *Dir) MakeDir(string, os.FileMode) (*Dir, error) { return nil, ErrUnsupported }

// Rename returns ErrUnsupported.
func (d *Dir) Rename(string, string) error { return ErrUnsupported }

// Link returns ErrUnsupported.
func (d *Dir) Link(string, string) error { return ErrUnsupported }

// OpenToWrite returns ErrUnsupported.
func (d *Dir) OpenToWrite(string) (*os.File, error) { return nil, ErrUnsupported }

func (d *Dir) create(string, int, os.FileMode) (*os.File, error) { return nil, ErrUnsupported }

func lockNow(*os.File) error { return ErrUnsupported }

// SyncData returns ErrUnsupported.
func SyncData(*os.File) error { return ErrUnsupported }

// RenameOver returns ErrUnsupported.
func (d *Dir) RenameOver(string, string) error { return ErrUnsupported }

// Prepare returns ErrUnsupported.
func (d *Dir) Prepare(string, []byte, os.FileMode) (*Prepared, error) { return nil, ErrUnsupported }
