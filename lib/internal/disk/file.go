package disk

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-78daf238/handoff/lib/fault"
)

const repair = "run `handoff verify --repair`"

// Open opens a file to read. A link, a FIFO, a device or a directory is fault.ErrIntegrity, a missing file
// fs.ErrNotExist. Open never waits.
func (d *Dir) Open(name string) (*os.File, error) {
	f, _, err := d.open(name, os.O_RDONLY)
	return f, err
}

func (d *Dir) open(name string, flags int) (*os.File, fs.FileInfo, error) {
	found, err := d.root.Lstat(name)
	if err != nil {
		return nil, nil, d.named(name, err)
	}
	if !found.Mode().IsRegular() {
		return nil, nil, d.notPlain(name)
	}
	f, err := d.root.OpenFile(name, flags|openFlags, 0)
	if err != nil {
		return nil, nil, d.named(name, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() { // it took the place of the plain file meanwhile
		err = d.notPlain(name)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func (d *Dir) notPlain(name string) error {
	return fault.Integrity(repair, "%s is not a plain file", filepath.Join(d.path, name))
}

// OpenLog opens a file to read and write, and makes a missing one with the mode of Modes. It refuses what Open refuses.
func (d *Dir) OpenLog(name string) (f *os.File, err error) {
	f, _, err = d.open(name, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = d.add(name, nil); err == nil {
			f, _, err = d.open(name, os.O_RDWR)
		}
	}
	return f, err
}

// Read returns the content of a file, without what is appended meanwhile. It refuses what Open refuses; a file of more
// than most bytes is fault.ErrIntegrity.
func (d *Dir) Read(name string, most int64) ([]byte, error) {
	f, info, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return content(f, info, most)
}

// ReadPrivate is Read for a file that belongs to User and that nobody else can write. Any other is fs.ErrPermission.
func (d *Dir) ReadPrivate(name string, most int64) ([]byte, error) {
	f, info, err := d.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if user, _ := ownerOf(info); user != d.User() || user >= 0 && info.Mode().Perm()&0o022 != 0 {
		return nil, d.named(name, fs.ErrPermission)
	}
	return content(f, info, most)
}

func content(f *os.File, info fs.FileInfo, most int64) ([]byte, error) {
	size := info.Size()
	if size > most {
		return nil, fault.Integrity(repair, "%s has %d bytes, more than the %d that are read", f.Name(), size, most)
	}
	text := make([]byte, size)
	n, err := io.ReadFull(f, text)
	if err == io.EOF || err == io.ErrUnexpectedEOF { // cut meanwhile
		err = nil
	}
	return text[:n], err
}

// create makes a file of a random name. A perm of 0 gives it exactly the mode of Modes, another one that less the
// umask.
func (d *Dir) create(perm fs.FileMode) (f *os.File, temp string, err error) {
	temp = tempPrefix + random(tempBytes)
	mode := fs.FileMode(0)
	if perm == 0 {
		mode = d.Modes.of(false)
	}
	f, err = d.root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, cmp.Or(perm, 0o600))
	if err != nil {
		return nil, "", d.named(temp, err)
	}
	if err = d.settle(f, nil, mode); err != nil {
		f.Close()
		d.root.Remove(temp)
	}
	return f, temp, err
}

func random(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Stage writes a file of a temporary name, which it returns, and syncs it. If that fails, it removes the file. A perm
// of 0 gives it exactly the mode of Modes, another one that less the umask.
func (d *Dir) Stage(data []byte, perm fs.FileMode) (temp string, err error) {
	f, temp, err := d.create(perm)
	if err != nil {
		return "", err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		d.root.Remove(temp)
		return "", err
	}
	return temp, nil
}

// add makes a file with the mode of Modes, unless the name exists. It has its mode before its name, so that no other
// user finds a file without access.
func (d *Dir) add(name string, data []byte) (isNew bool, err error) {
	temp, err := d.Stage(data, 0)
	if err != nil {
		return false, err
	}
	if err = d.Publish(temp, name); err == nil {
		return true, nil
	}
	d.root.Remove(temp)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return false, err
}

// Publish gives a staged file its name, without a sync. It never replaces: if the name exists, the error is
// fs.ErrExist, and the staged file stays. A file system without hard links renames; there, look that nobody else makes
// the name. A temporary name that cannot be removed afterwards stays too.
func (d *Dir) Publish(temp, name string) error {
	err := d.root.Link(temp, name)
	if err == nil {
		d.root.Remove(temp)
		return nil
	}
	switch _, found := d.root.Lstat(name); {
	case found == nil:
		err = fs.ErrExist
	case errors.Is(found, fs.ErrNotExist): // the system cannot link, and says so in its own way
		err = d.root.Rename(temp, name)
	}
	return d.named(name, err)
}

// Replace gives a file new content in one step. A link or another file that is not plain is fault.ErrIntegrity and
// stays. The file keeps its mode and owner; a new one gets them as from Stage. If isDurable is set, it survives a
// power cut; else nothing is synced, and a power cut may leave it empty.
func (d *Dir) Replace(name string, data []byte, perm fs.FileMode, isDurable bool) error {
	mode := fs.FileMode(0)
	old, err := d.root.Lstat(name)
	switch {
	case err == nil && !old.Mode().IsRegular():
		return d.notPlain(name)
	case err == nil:
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return d.named(name, err)
	case perm == 0:
		mode = d.Modes.of(false)
	}
	f, replace, err := d.pending(name, cmp.Or(perm, 0o600))
	if err != nil {
		return d.named(name, err)
	}
	if err = d.settle(f, old, mode); err == nil {
		_, err = f.Write(data)
	}
	temp := filepath.Base(f.Name())
	if err == nil && isDurable {
		err = replace()
	} else if err = cmp.Or(err, f.Close()); err == nil {
		err = d.root.Rename(temp, name)
	}
	if err != nil {
		f.Close()
		d.root.Remove(temp)
		return d.named(name, err)
	}
	if isDurable {
		return d.Sync()
	}
	return nil
}

// SyncFile makes the content of a file survive a power cut. It refuses what Open refuses.
func (d *Dir) SyncFile(name string) error {
	f, _, err := d.open(name, syncFlags)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Remove removes a name. A missing one is no error.
func (d *Dir) Remove(name string) error {
	if err := d.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return d.named(name, err)
	}
	return nil
}

// MoveTo moves a file into another directory. To another file system it copies a plain file, and removes the old one.
// It is for names that are free.
func (d *Dir) MoveTo(other *Dir, name, as string) error {
	err := os.Rename(filepath.Join(d.path, name), filepath.Join(other.path, as))
	if err != nil && d.CopyTo(other, name, as) == nil {
		return d.Remove(name)
	}
	return d.named(name, err)
}

// CopyTo gives a plain file a second name in another directory, durably. Where the system cannot link, it is a copy.
func (d *Dir) CopyTo(other *Dir, name, as string) error {
	if os.Link(filepath.Join(d.path, name), filepath.Join(other.path, as)) == nil {
		return other.Sync()
	}
	text, err := d.Read(name, MaxLog)
	if err != nil {
		return err
	}
	return other.Replace(as, text, 0, true)
}
