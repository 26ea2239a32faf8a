package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve reserves space for n bytes at offset, without changing the size of the file. It returns nil if the
// file system cannot do that.
func reserve(f *os.File, offset, n int64) error {
	err := again(func() error { return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, offset, n) })
	if err == nil || err == unix.EOPNOTSUPP || err == unix.ENOSYS {
		return nil
	}
	return &os.PathError{Op: "reserve room", Path: f.Name(), Err: err}
}
