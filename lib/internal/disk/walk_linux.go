package disk

import (
	"errors"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// stepFlags open a parent directory, for which the user needs only search permission.
const stepFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// lacksBeneath is true once openat2 was missing, or a sandbox refused it: openat2(2), since 5.6.
var lacksBeneath atomic.Bool

// IsPlain reports whether path exists and no name in it is a symbolic link. It returns false if one call
// cannot decide that.
func IsPlain(path string) bool {
	if lacksBeneath.Load() {
		return false
	}
	fd, err := openNoLinks(path, unix.O_PATH|unix.O_CLOEXEC) // O_NOFOLLOW would open a link itself
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
}

func openNoLinks(path string, flags uint64) (int, error) {
	how := unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_NO_SYMLINKS}
	return retry(func() (int, error) { return unix.Openat2(unix.AT_FDCWD, path, &how) })
}

// openBeneath opens the directory at path in one call. If the system cannot do that, the error is
// errors.ErrUnsupported.
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
