//go:build unix

package settings

import (
	"os"
	"syscall"
)

// openPlain opens a file that may not be regular. A symbolic link could lead out of the project, and a FIFO would
// block. Unlike os.OpenFile, it does not start the poller of the runtime.
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

// IsTrusted reports whether the file or link at path belongs to the user or root.
func IsTrusted(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	return owner == 0 || int(owner) == os.Geteuid()
}
