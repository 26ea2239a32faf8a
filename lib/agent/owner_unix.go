//go:build unix

package agent

import (
	"os"
	"syscall"
)

// ownedByCaller reports whether a file is one of who runs the program: settings of somebody else are left
// alone.
func ownedByCaller(info os.FileInfo) bool {
	return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid()
}
