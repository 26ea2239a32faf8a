//go:build unix

package store

import (
	"os"
	"syscall"
)

// IsCallers reports whether a file belongs to who runs the program.
func IsCallers(info os.FileInfo) bool {
	return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid()
}

// mayWrite reports whether who runs the program is one whose files these are, or root.
func mayWrite(info os.FileInfo) bool { return os.Geteuid() == 0 || IsCallers(info) }
