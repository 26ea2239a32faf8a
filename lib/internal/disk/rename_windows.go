package disk

import (
	"cmp"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

func renameNew(from *os.File, name string, to *os.File, as string) error {
	old, err := windows.UTF16PtrFromString(filepath.Join(from.Name(), name))
	next, err2 := windows.UTF16PtrFromString(filepath.Join(to.Name(), as))
	if err = cmp.Or(err, err2); err != nil {
		return err
	}
	return windows.MoveFileEx(old, next, 0)
}
