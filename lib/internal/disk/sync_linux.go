package disk

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// SyncData syncs the content of a file, and the metadata that is needed to read it: fdatasync(2).
func SyncData(f *os.File) error {
	err := again(func() error { return unix.Fdatasync(int(f.Fd())) })
	if err != nil {
		return &fs.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
	}
	return nil
}
