//go:build unix && !linux && !darwin

package disk

import "golang.org/x/sys/unix"

func renameNew(int, string, string) error { return unix.ENOSYS }
