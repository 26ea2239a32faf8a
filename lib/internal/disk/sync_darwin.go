package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncData syncs the content of a file to the disk: F_FULLFSYNC, see fsync(2).
func SyncData(f *os.File) error { return f.Sync() }

func exchange(dir int, a, b string) error { return unix.RenameatxNp(dir, a, dir, b, unix.RENAME_SWAP) }
