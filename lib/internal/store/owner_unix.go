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
