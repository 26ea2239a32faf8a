//go:build unix

package store

import (
	"os"
	"syscall"
)

func isCallers(info os.FileInfo) bool {
	return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid()
}

func mayWrite(info os.FileInfo) bool { return os.Geteuid() == 0 || isCallers(info) }
