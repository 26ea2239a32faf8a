package durable

import (
	"errors"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// stepFlags open a directory on the way: who may only search it can pass.
const stepFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// lacksBeneath is true once the system was seen to lack openat2, or a sandbox to refuse it:
// openat2(2), since 5.6.
var lacksBeneath atomic.Bool

// openBeneath opens the directory at path with one call. errors.ErrUnsupported means that this cannot
// be done here.
func openBeneath(path string) (int, error) {
	if lacksBeneath.Load() {
		return -1, errors.ErrUnsupported
	}
	how := unix.OpenHow{Flags: dirFlags, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := retry(func() (int, error) { return unix.Openat2(unix.AT_FDCWD, path, &how) })
	switch err {
	case unix.ENOSYS, unix.EPERM, unix.EINVAL, unix.E2BIG:
		lacksBeneath.Store(true)
		return -1, errors.ErrUnsupported
	}
	return fd, err
}
