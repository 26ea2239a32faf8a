package disk

import (
	"io/fs"
	"os"
)

const (
	openFlags = 0
	syncFlags = os.O_RDWR // Windows syncs only what can be written
	lockFlags = os.O_RDWR
)

// ownerOf returns -1: Windows has other owners.
func ownerOf(fs.FileInfo) (user, group int) { return -1, -1 }

// pending is what renameio, which does not build here, does on other systems.
func (d *Dir) pending(name string, perm fs.FileMode) (f *os.File, replace func() error, err error) {
	f, temp, err := d.create(perm)
	return f, func() error {
		if err := f.Sync(); err != nil {
			return err
		}
		f.Close()
		return d.root.Rename(temp, name)
	}, err
}
