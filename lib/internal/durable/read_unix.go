//go:build unix

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// AppendFile is ReadFile into the room behind data, for who reads many files. It makes no more calls of
// the system than it takes to open, check, read and close.
func (d *Dir) AppendFile(data []byte, name string, max int64) ([]byte, error) {
	fd, err := d.openat(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, d.notPlain(name, err)
	}
	defer unix.Close(fd)
	size, err := d.plainSize(fd, name)
	if err != nil {
		return nil, err
	}
	start := len(data)
	for room := size + 1; ; room = 1 {
		if int64(len(data)-start) > max || size > max {
			return nil, fmt.Errorf("%s: %w: more than the %d bytes that are read", filepath.Join(d.path, name), ErrTooLarge, max)
		}
		data = grow(data, int(room))
		n, err := retry(func() (int, error) { return unix.Read(fd, data[len(data):cap(data)]) })
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: filepath.Join(d.path, name), Err: err}
		}
		data = data[:len(data)+n]
		if n == 0 || int64(len(data)-start) == size { // a file that grows meanwhile is read as it was
			return data, nil
		}
	}
}

// grow returns data with room for n more bytes.
func grow(data []byte, n int) []byte {
	if cap(data)-len(data) >= n {
		return data
	}
	return append(make([]byte, 0, 2*len(data)+n), data...)
}

// plainSize returns the size of an open file, which must be a regular one.
func (d *Dir) plainSize(fd int, name string) (int64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, &fs.PathError{Op: "stat", Path: filepath.Join(d.path, name), Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return 0, unsafeEntry(filepath.Join(d.path, name), "not a regular file")
	}
	return st.Size, nil
}

// notPlain says of the error of an open what stands in the place of a regular file.
func (d *Dir) notPlain(name string, err error) error {
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EMLINK):
		return unsafeEntry(filepath.Join(d.path, name), "a symbolic link")
	case errors.Is(err, unix.ENXIO), errors.Is(err, unix.EISDIR):
		return unsafeEntry(filepath.Join(d.path, name), "not a regular file")
	}
	return err
}
