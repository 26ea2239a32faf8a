//go:build unix

package handoff

import (
	"os"
	"path/filepath"
	"syscall"
)

// ownedByCaller reports whether the nearest existing directory of path belongs to the caller.
func ownedByCaller(path string) bool {
	info, err := os.Stat(path)
	for err != nil {
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
		info, err = os.Stat(path)
	}
	return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid()
}

func mayWrite(info os.FileInfo) bool {
	euid := os.Geteuid()
	return euid == 0 || int(info.Sys().(*syscall.Stat_t).Uid) == euid
}
