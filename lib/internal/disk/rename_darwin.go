package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

func renameNew(from *os.File, name string, to *os.File, as string) error {
	return unix.RenameatxNp(int(from.Fd()), name, int(to.Fd()), as, unix.RENAME_EXCL)
}
