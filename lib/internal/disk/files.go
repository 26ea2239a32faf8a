package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// private is the mode of new files that only their owner reads.
const private = 0o600

// Extend appends to a file, which it makes if it is missing. If isDurable is set, the text survives a power cut.
func (d *Dir) Extend(name string, text []byte, isDurable bool) error {
	f, found, err := d.OpenOrCreate(name)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.WriteAt(text, end)
	}
	if err == nil && isDurable {
		err = SyncData(f)
	}
	if err == nil && isDurable && (!found || end == 0) { // whoever made it may have died
		err = d.Sync()
	}
	return err
}

// OpenOrCreate opens a file for writing, and creates a private one if it is missing. existed reports whether it was
// there.
func (d *Dir) OpenOrCreate(name string) (f *os.File, existed bool, err error) {
	f, err = d.create(name, os.O_RDWR, private)
	if !errors.Is(err, fs.ErrExist) {
		return f, false, err
	}
	f, err = d.OpenToWrite(name)
	return f, true, err
}

// CreateTemp creates a file. Its name is the prefix and random bytes in hexadecimal digits.
func (d *Dir) CreateTemp(prefix string, bytes int, perm os.FileMode) (f *os.File, name string, err error) {
	name = prefix + random(bytes)
	f, err = d.create(name, os.O_RDWR, perm)
	return f, name, err
}

// SyncFile syncs the content of a file by its name. If the file does not exist, it returns nil.
func (d *Dir) SyncFile(name string) error {
	f, err := d.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// A Prepared file has its content, mode and owner, but a temporary name.
type Prepared struct {
	d    *Dir
	name string // of the temporary file; "" once it has its final name
}

// Place gives the file its name, and replaces any file of that name.
func (p *Prepared) Place(name string) error {
	err := p.d.RenameOver(p.name, name)
	if err == nil {
		p.name = ""
	}
	return p.d.replaceError(name, err)
}

// Discard removes the file unless it has its name. You can call it twice.
func (p *Prepared) Discard() {
	if p.name != "" {
		_ = p.d.Remove(p.name)
	}
}

// Put replaces a private file: Prepare, Place, Discard.
func (d *Dir) Put(name string, data []byte) error {
	p, err := d.Prepare(name, data, private)
	if err != nil {
		return err
	}
	defer p.Discard()
	return p.Place(name)
}

// Link gives a staged file its name, as Publish does, without syncing it before.
func (s *Staged) Link(name string) error {
	s.safe = true
	return s.Publish(name)
}

// spare is memory that nobody uses. A sync.Pool would have some for each processor.
var spare atomic.Pointer[[32 << 10]byte]

// Piece returns memory to read a file in pieces, until free is called. Fresh memory takes longer than most reads.
func Piece() (piece []byte, free func()) {
	p := spare.Swap(nil)
	if p == nil {
		p = new([32 << 10]byte)
	}
	return p[:], func() { spare.Store(p) }
}

// PutAt writes data at an offset that is at most the size of the log. It does not write bytes that are there
// already, since readers may be using them.
func (l *Log) PutAt(data []byte, offset int64) error {
	info, err := l.Stat()
	if err != nil {
		return err
	}
	there := make([]byte, max(0, min(info.Size()-offset, int64(len(data)))))
	if _, err := l.ReadAt(there, offset); err != nil {
		return err
	}
	same := 0
	for same < len(there) && there[same] == data[same] {
		same++
	}
	if same == len(data) {
		return nil
	}
	_, err = l.WriteAt(data[same:], offset+int64(same))
	return err
}

// Touch creates an empty file unless name exists.
func (d *Dir) Touch(name string, perm os.FileMode) error {
	f, err := d.create(name, os.O_WRONLY, perm)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// A Log is a file that only grows.
type Log struct{ *os.File }

// OpenLog opens the log name, and creates a private one if it is missing. If the entry is not a regular
// file, the error is ErrUnsafe.
func (d *Dir) OpenLog(name string) (*Log, error) {
	f, _, err := d.OpenOrCreate(name)
	return &Log{f}, err
}

// Reserve reserves disk space for n bytes at the end of the log, if the system can.
func (l *Log) Reserve(n int64) error {
	info, err := l.Stat()
	if err != nil || n == 0 {
		return err
	}
	return reserve(l.File, info.Size(), n)
}

// A Staged file has content but no published name yet.
type Staged struct {
	d    *Dir
	f    *os.File
	name string // temporary; "" once it is published
	safe bool   // the content is on disk
}

// Stage writes data to a new file in d and syncs it. The file is .tmp-<random> until Publish.
func (d *Dir) Stage(data []byte, perm os.FileMode) (*Staged, error) {
	s, err := d.BeginStage(data, perm)
	if err != nil {
		return nil, err
	}
	return s, s.Sync()
}

// Write adds to the content of a file that is not synced yet.
func (s *Staged) Write(data []byte) (int, error) { return s.f.Write(data) }

// ReadAt reads the content of a file that is not synced yet.
func (s *Staged) ReadAt(data []byte, offset int64) (int, error) { return s.f.ReadAt(data, offset) }

// Sync syncs the content. If it fails, it removes the file.
func (s *Staged) Sync() error {
	err := s.f.Sync()
	if s.safe = err == nil; !s.safe {
		s.Discard()
	}
	return err
}

// TakeMode gives the file the mode of the file name in its directory, if the file system permits.
func (s *Staged) TakeMode(name string) error {
	entry, err := s.d.Lstat(name)
	if err == nil {
		err = setMode(s.f, entry.Mode)
	}
	return err
}

// setMode does nothing if the mount determines modes, which causes EPERM.
func setMode(f *os.File, mode os.FileMode) error {
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() == mode {
		return err
	}
	if err = f.Chmod(mode); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

// Replace replaces the content of name in one atomic step. Readers see the old content or the new, and one of
// them is there after a power cut. Replace syncs the content before the rename; the caller makes the rename
// durable with Sync. An existing file keeps its mode and owner, a new one gets perm less the umask.
func (d *Dir) Replace(name string, data []byte, perm os.FileMode) error {
	return d.ReplaceIf(name, data, perm, nil)
}

// replaceError names the file instead of the temporary file in an error.
func (d *Dir) replaceError(name string, err error) error {
	var link *os.LinkError
	var path *fs.PathError
	switch {
	case errors.As(err, &link):
		err = link.Err
	case errors.As(err, &path):
		err = path.Err
	default:
		return err
	}
	return &fs.PathError{Op: "replace", Path: filepath.Join(d.path, name), Err: err}
}
