//go:build unix

package store

import (
	"os"
	"syscall"
)

// IsCallers reports whether a file belongs to the user who runs the program.
func IsCallers(info os.FileInfo) bool {
	return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid()
}

// mayWrite reports whether the user who runs the program owns the file or is root.
func mayWrite(info os.FileInfo) bool { return os.Geteuid() == 0 || IsCallers(info) }
