//go:build unix

package settings

import (
	"os"
	"syscall"
)

// openPlain opens a file that has still to be found regular: a symbolic link may lead out of the project, and
// opening a FIFO would wait for a writer. os.OpenFile would start the poller of the runtime for it.
func openPlain(path string) (*os.File, error) {
	const flags = syscall.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_NOCTTY | syscall.O_CLOEXEC
	fd, err := syscall.Open(path, flags, 0)
	for err == syscall.EINTR {
		fd, err = syscall.Open(path, flags, 0)
	}
	if err == nil {
		err = syscall.SetNonblock(fd, false)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// IsTrusted reports whether what is called path belongs to the caller or root.
func IsTrusted(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	return owner == 0 || int(owner) == os.Geteuid()
}
