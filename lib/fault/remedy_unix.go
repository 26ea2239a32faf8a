//go:build unix

package fault

import (
	"errors"
	"io/fs"
	"syscall"
)

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// IsLimit reports whether err means that too many files are open. It says nothing about the file that was to be opened.
func IsLimit(err error) bool { return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) }

// Remedy returns what to do about a system error, "" if unknown.
func Remedy(err error) string {
	switch {
	case IsLimit(err):
		return "allow more open files with `ulimit -n`"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on the disk, for bytes and for files (`df`, `df -i`)"
	case errors.Is(err, syscall.EROFS):
		return "make the file system writable, or choose a place on another one (--handoffs-dir, --state-dir)"
	case errors.Is(err, fs.ErrPermission):
		return "get access to it (`chown`, `chmod`, `chattr -i` if it is immutable), or choose a directory of your own"
	}
	return ""
}
