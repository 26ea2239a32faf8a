//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// Read-write for NFS, which locks no file that is open for reading alone. A symbolic link is not
// followed, and a FIFO does not block. The os package adds O_CLOEXEC.
const openFlags = os.O_RDWR | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_NOCTTY

func lockLinks(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) // its width differs between systems
	}
	return 1
}

func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
