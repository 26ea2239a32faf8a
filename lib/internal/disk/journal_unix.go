//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// The functions in this file do not sync. They are for changes that a journal has already made durable.

// private is the mode of new files that only their owner reads.
const private = 0o600

// OpenSoleForWriting is OpenSole for reading and writing.
func (d *Dir) OpenSoleForWriting(name string) (*os.File, error) {
	return d.openSole(name, unix.O_RDWR)
}

// OpenOrCreate opens a file for writing. If it is missing, it creates a private one. found reports whether it existed.
func (d *Dir) OpenOrCreate(name string) (f *os.File, found bool, err error) {
	f, err = d.create(name, unix.O_RDWR, private)
	if !errors.Is(err, fs.ErrExist) {
		return f, false, err
	}
	f, err = d.OpenSoleForWriting(name)
	return f, true, err
}

// CreateLocked creates a private file that must not exist, and locks it until it is closed.
func (d *Dir) CreateLocked(name string) (*os.File, error) {
	f, err := d.create(name, unix.O_RDWR, private)
	if err != nil {
		return nil, err
	}
	if err = lockNow(f); err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return f, nil
}

// RemoveUnlocked removes the files that isOurs accepts and no process has locked, and returns their names.
func (d *Dir) RemoveUnlocked(isOurs func(name string) bool) ([]string, error) {
	return d.removeDead(isOurs)
}

// RenameOver renames a file, and replaces any file of the new name.
func (d *Dir) RenameOver(from, to string) error {
	err := again(func() error { return unix.Renameat(d.fd(), from, d.fd(), to) })
	if err != nil {
		return &os.LinkError{Op: "rename", Old: filepath.Join(d.path, from), New: filepath.Join(d.path, to), Err: err}
	}
	return nil
}

// Exchange exchanges the names of two files in one step, so that no content is lost. If the file system
// cannot do that, Exchange uses several steps with hard links. Then a text that another program saves as b in
// between is lost.
func (d *Dir) Exchange(a, b string) error {
	err := again(func() error { return exchange(d.fd(), a, b) })
	if cannotRenameNew(err) {
		aside := a + "-old"
		if err = d.Remove(aside); err == nil {
			err = again(func() error { return unix.Linkat(d.fd(), b, d.fd(), aside, 0) })
		}
		if err == nil {
			err = d.RenameOver(a, b)
		}
		if err == nil {
			err = d.RenameOver(aside, a)
		}
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: filepath.Join(d.path, a), New: filepath.Join(d.path, b), Err: err}
	}
	return nil
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

// Prepare creates the file that will replace like, with the mode and owner of like. A new file gets perm less
// the umask. Prepare does not sync.
func (d *Dir) Prepare(like string, data []byte, perm os.FileMode) (*Prepared, error) {
	root, err := d.root()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	pending, err := d.pending(root, like, data, perm)
	if err != nil {
		return nil, d.replaceError(like, err)
	}
	p := &Prepared{d, filepath.Base(pending.Name())}
	if err := pending.File.Close(); err != nil {
		p.Discard()
		return nil, d.replaceError(like, err)
	}
	return p, nil
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

// PutAt writes data at an offset that is at most the size of the log. It does not write bytes that are there
// already, since readers may be using them.
func (l *Log) PutAt(data []byte, offset int64) error {
	info, err := l.Stat()
	if err != nil {
		return err
	}
	for same, piece := true, make([]byte, min(len(data), 64<<10)); same && len(data) > 0 && offset < info.Size(); {
		there := piece[:min(info.Size()-offset, int64(len(data)), int64(len(piece)))]
		if _, err := l.ReadAt(there, offset); err != nil {
			return err
		}
		n := 0
		for n < len(there) && there[n] == data[n] {
			n++
		}
		same, data, offset = n == len(there), data[n:], offset+int64(n)
	}
	if len(data) == 0 {
		return nil
	}
	if l.appendOnly {
		_, err = l.Write(data)
	} else {
		_, err = l.WriteAt(data, offset)
	}
	return err
}
