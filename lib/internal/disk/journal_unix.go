//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// What follows does not sync: it is for changes that a journal has made durable before.

// OpenSoleForWriting is OpenSole for somebody who writes to the file.
func (d *Dir) OpenSoleForWriting(name string) (*os.File, error) {
	return d.openSole(name, unix.O_RDWR)
}

// OpenOrCreate opens a file for writing, and makes it where it is missing. found says that it was there.
func (d *Dir) OpenOrCreate(name string, perm os.FileMode) (f *os.File, found bool, err error) {
	f, err = d.create(name, unix.O_RDWR, perm)
	if !errors.Is(err, fs.ErrExist) {
		return f, false, err
	}
	f, err = d.OpenSoleForWriting(name)
	return f, true, err
}

// CreateLocked makes a file that must not be there, and locks it until it is closed.
func (d *Dir) CreateLocked(name string, perm os.FileMode) (*os.File, error) {
	f, err := d.create(name, unix.O_RDWR, perm)
	if err != nil {
		return nil, err
	}
	if _, err = retry(func() (int, error) { return 0, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }); err != nil {
		f.Close()
		return nil, &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return f, nil
}

// RemoveUnlocked removes those of the files that isOurs accepts which nobody has locked, and returns them.
func (d *Dir) RemoveUnlocked(isOurs func(name string) bool) ([]string, error) {
	return d.removeDead(isOurs)
}

// RenameOver gives a file another name, in the place of what has that.
func (d *Dir) RenameOver(from, to string) error {
	_, err := retry(func() (int, error) { return 0, unix.Renameat(d.fd(), from, d.fd(), to) })
	if err != nil {
		return &os.LinkError{Op: "rename", Old: filepath.Join(d.path, from), New: filepath.Join(d.path, to), Err: err}
	}
	return nil
}

// Exchange lets two files swap their names in one step, so that what the first replaces is not lost. Where
// the file system cannot do that, what has the name b is linked as a before a takes its place: what somebody
// saves under the name b between the two steps is lost then.
func (d *Dir) Exchange(a, b string) error {
	_, err := retry(func() (int, error) { return 0, exchange(d.fd(), a, b) })
	if cannotRenameNew(err) {
		aside := a + "-old"
		if err = d.Remove(aside); err == nil {
			_, err = retry(func() (int, error) { return 0, unix.Linkat(d.fd(), b, d.fd(), aside, 0) })
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

// SyncFile syncs the content of a file by its name. One that is not there is no error.
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

// A Prepared file has its content, mode and owner, and not its name yet.
type Prepared struct {
	d    *Dir
	name string // of the temporary file; "" once it has its own
}

// Prepare makes the file that shall take the place of like, whose mode and owner it gets; a new one gets
// perm less the umask. Nothing is synced.
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

// Place gives the file its name, in the place of what has that.
func (p *Prepared) Place(name string) error {
	err := p.d.RenameOver(p.name, name)
	if err == nil {
		p.name = ""
	}
	return p.d.replaceError(name, err)
}

// Discard removes the file unless it has its name. It may be called twice.
func (p *Prepared) Discard() {
	if p.name != "" {
		_ = p.d.Remove(p.name)
	}
}

// Put replaces a file: Prepare, Place, Discard.
func (d *Dir) Put(name string, data []byte, perm os.FileMode) error {
	p, err := d.Prepare(name, data, perm)
	if err != nil {
		return err
	}
	defer p.Discard()
	return p.Place(name)
}

// Link gives a staged file its name, as Publish does, without the sync before.
func (s *Staged) Link(name string) error {
	s.safe = true
	return s.Publish(name)
}

// PutAt makes data stand at an offset that is at most the size of the log. What is there already is written
// again only where it differs: readers may look at it.
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
