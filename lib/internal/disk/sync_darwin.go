package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncData returns when the content of a file is on the disk: F_FULLFSYNC, see fsync(2).
func SyncData(f *os.File) error { return f.Sync() }

func exchange(dir int, a, b string) error { return unix.RenameatxNp(dir, a, dir, b, unix.RENAME_SWAP) }
