//go:build unix

package agent

import (
	"os"
	"syscall"
)

func ownedByCaller(info os.FileInfo) bool {
	return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid()
}
