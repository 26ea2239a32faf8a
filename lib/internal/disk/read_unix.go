//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// AppendEntry is AppendFile and Lstat in one. It makes only the system calls to open, check, read and close.
func (d *Dir) AppendEntry(data []byte, name string, max int64) ([]byte, Entry, error) {
	if text, known, err := d.fromView(name); known || err != nil {
		if int64(len(text)) > max {
			err = tooLarge(filepath.Join(d.path, name), max)
		}
		return append(data, text...), d.shownEntry(name, text), err
	}
	fd, err := d.openat(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, Entry{}, d.notPlain(name, err)
	}
	defer unix.Close(fd)
	entry, err := d.plainEntry(fd, name)
	if err != nil {
		return nil, entry, err
	}
	start, size := len(data), entry.Size
	for room := size + 1; ; room = 1 {
		if int64(len(data)-start) > max || size > max {
			return nil, entry, tooLarge(filepath.Join(d.path, name), max)
		}
		data = grow(data, int(room))
		n, err := retry(func() (int, error) { return unix.Read(fd, data[len(data):cap(data)]) })
		if err != nil {
			return nil, entry, &fs.PathError{Op: "read", Path: filepath.Join(d.path, name), Err: err}
		}
		data = data[:len(data)+n]
		if n == 0 || int64(len(data)-start) == size { // a file that grows meanwhile is read up to its old size
			return data, entry, nil
		}
	}
}

// grow returns data with space for n more bytes.
func grow(data []byte, n int) []byte {
	if cap(data)-len(data) >= n {
		return data
	}
	return append(make([]byte, 0, 2*len(data)+n), data...)
}

// plainEntry describes an open file, which must be a regular file.
func (d *Dir) plainEntry(fd int, name string) (Entry, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Entry{}, &fs.PathError{Op: "stat", Path: filepath.Join(d.path, name), Err: err}
	}
	entry := entryOf(&st)
	if !entry.Regular {
		return Entry{}, unsafeEntry(filepath.Join(d.path, name), "not a regular file")
	}
	return entry, nil
}

func entryOf(st *unix.Stat_t) Entry {
	return Entry{
		Regular: st.Mode&unix.S_IFMT == unix.S_IFREG, Inode: st.Ino, Size: st.Size, Owner: st.Uid,
		Mode: os.FileMode(st.Mode) & os.ModePerm,
	}
}

// notPlain explains the error of an open that found no regular file.
func (d *Dir) notPlain(name string, err error) error {
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EMLINK):
		return unsafeEntry(filepath.Join(d.path, name), "a symbolic link")
	case errors.Is(err, unix.ENXIO), errors.Is(err, unix.EISDIR):
		return unsafeEntry(filepath.Join(d.path, name), "not a regular file")
	}
	return err
}
