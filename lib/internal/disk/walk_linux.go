package disk

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

// IsPlain reports whether something is at path and no name in it is a symbolic link; false where that takes more than
// one call to tell.
func IsPlain(path string) bool {
	if lacksBeneath.Load() {
		return false
	}
	fd, err := openNoLinks(path, unix.O_PATH|unix.O_CLOEXEC) // with O_NOFOLLOW a link itself would be opened
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
}

func openNoLinks(path string, flags uint64) (int, error) {
	how := unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_NO_SYMLINKS}
	return retry(func() (int, error) { return unix.Openat2(unix.AT_FDCWD, path, &how) })
}

// openBeneath opens the directory at path with one call. errors.ErrUnsupported means that this cannot
// be done here.
func openBeneath(path string) (int, error) {
	if lacksBeneath.Load() {
		return -1, errors.ErrUnsupported
	}
	fd, err := openNoLinks(path, dirFlags)
	switch err {
	case unix.ENOSYS, unix.EPERM, unix.EINVAL, unix.E2BIG:
		lacksBeneath.Store(true)
		return -1, errors.ErrUnsupported
	}
	return fd, err
}
