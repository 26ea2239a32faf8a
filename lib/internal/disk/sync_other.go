//go:build unix && !linux

package disk

import (
	"os"
)

// SyncData syncs the content of a file to the disk.
func SyncData(f *os.File) error { return f.Sync() }
