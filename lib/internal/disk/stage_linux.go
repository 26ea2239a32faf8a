package disk

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// canStageUnnamed is false in the tests of the portable code.
var canStageUnnamed = true

// hasProc is true once /proc is known to name descriptors.
var hasProc atomic.Bool

// openUnnamed opens a file without a name in d. If the file system or a process without /proc cannot name it
// later, the error is errors.ErrUnsupported.
func openUnnamed(d *Dir, perm os.FileMode) (*os.File, error) {
	if !canStageUnnamed {
		return nil, errors.ErrUnsupported
	}
	fd, err := d.openat(".", unix.O_TMPFILE|unix.O_RDWR, uint32(perm.Perm()))
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENOENT) ||
		errors.Is(err, unix.EINVAL) {
		return nil, fmt.Errorf("%w: %v", errors.ErrUnsupported, err)
	}
	if err != nil {
		return nil, err
	}
	if !hasProc.Load() {
		if err := unix.Faccessat(unix.AT_FDCWD, fdPath(fd), unix.F_OK, 0); err != nil {
			unix.Close(fd)
			return nil, fmt.Errorf("%w: %v", errors.ErrUnsupported, err)
		}
		hasProc.Store(true)
	}
	return os.NewFile(uintptr(fd), d.path), nil
}

func linkUnnamed(f *os.File, dir int, name string) error {
	err := again(func() error {
		return unix.Linkat(unix.AT_FDCWD, fdPath(int(f.Fd())), dir, name, unix.AT_SYMLINK_FOLLOW)
	})
	return err
}

func fdPath(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// reserve reserves space for n bytes at offset, without changing the size of the file. It returns nil if the
// file system cannot do that.
func reserve(f *os.File, offset, n int64) error {
	err := again(func() error { return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, offset, n) })
	if err == nil || err == unix.EOPNOTSUPP || err == unix.ENOSYS {
		return nil
	}
	return &os.PathError{Op: "reserve room", Path: f.Name(), Err: err}
}
