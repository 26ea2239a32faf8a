//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A Log is a file that only grows. It may have the append-only attribute of the system (chattr +a).
type Log struct {
	*os.File
	appendOnly bool
}

// OpenLog opens the log name, and creates it with mode 0600 if create is set. If the entry has a second hard
// link or is not a regular file, the error is ErrUnsafe.
func (d *Dir) OpenLog(name string, create bool) (*Log, error) {
	f, err := d.openSole(name, unix.O_RDWR)
	if create && errors.Is(err, fs.ErrNotExist) {
		// another process created it meanwhile
		if f, err = d.create(name, unix.O_RDWR, 0o600); errors.Is(err, fs.ErrExist) {
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

// CanBeCut returns the error of Truncate if the log is append-only.
func (l *Log) CanBeCut() error {
	if l.appendOnly {
		return &fs.PathError{Op: "truncate", Path: l.Name(), Err: ErrAppendOnly}
	}
	return nil
}

// Append adds data at the end without syncing it, for data that may be lost. A power cut may leave a part of
// the data.
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

// Reserve reserves disk space for n bytes at the end of the log, if the system can.
func (l *Log) Reserve(n int64) error {
	info, err := l.Stat()
	if err != nil || n == 0 {
		return err
	}
	return reserve(l.File, info.Size(), n)
}
