//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// Read-write, since NFS does not lock a file that is open only for reading. Does not follow a symbolic link
// or block on a FIFO. Package os adds O_CLOEXEC.
const openFlags = os.O_RDWR | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_NOCTTY

func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
