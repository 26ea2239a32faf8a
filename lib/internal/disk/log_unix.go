//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A Log is a file that only grows. Its mode may be set to append-only by the system (chattr +a).
type Log struct {
	*os.File
	appendOnly bool
}

// OpenLog opens the log name, and creates it with mode 0600 if create is set. A second hard link and
// anything else than a regular file is ErrUnsafe.
func (d *Dir) OpenLog(name string, create bool) (*Log, error) {
	f, err := d.openSole(name, unix.O_RDWR)
	if create && errors.Is(err, fs.ErrNotExist) {
		if f, err = d.create(name, unix.O_RDWR, 0o600); errors.Is(err, fs.ErrExist) { // by another, meanwhile
			f, err = d.openSole(name, unix.O_RDWR)
		}
	}
	appendOnly := errors.Is(err, unix.EPERM)
	if appendOnly {
		f, err = d.openSole(name, unix.O_RDWR|unix.O_APPEND)
	}
	if err != nil {
		return nil, err
	}
	return &Log{f, appendOnly}, nil
}

// CanBeCut returns the reason why Truncate would fail, where the system sees to it that the log only grows.
func (l *Log) CanBeCut() error {
	if l.appendOnly {
		return &fs.PathError{Op: "truncate", Path: l.Name(), Err: ErrAppendOnly}
	}
	return nil
}

// Append adds data at the end and does not sync it: for what may be lost, such as a note that something
// was shown. A power cut may leave a part of it.
func (l *Log) Append(data []byte) error {
	info, err := l.Stat()
	if err != nil {
		return err
	}
	if l.appendOnly {
		_, err = l.Write(data)
	} else {
		_, err = l.WriteAt(data, info.Size())
	}
	return err
}

// Reserve makes sure that n bytes at the end of the log will find room on the disk, where the system can.
func (l *Log) Reserve(n int64) error {
	info, err := l.Stat()
	if err != nil || n == 0 {
		return err
	}
	return reserve(l.File, info.Size(), n)
}
