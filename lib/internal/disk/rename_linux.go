package disk

import "golang.org/x/sys/unix"

// renameNew renames in one step, and fails with EEXIST instead of replacing a file: renameat2(2).
func renameNew(dir int, from, to string) error {
	return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
}
