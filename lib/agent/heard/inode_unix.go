//go:build unix

package heard

import (
	"io/fs"
	"syscall"
)

// inodeOf returns the inode of a file, 0 if it is unknown.
func inodeOf(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
