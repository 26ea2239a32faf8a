package disk

import "golang.org/x/sys/unix"

// renameNew renames in one step, and fails with EEXIST instead of replacing a file: renameatx_np(2).
func renameNew(dir int, from, to string) error {
	return unix.RenameatxNp(dir, from, dir, to, unix.RENAME_EXCL)
}
