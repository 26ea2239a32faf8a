//go:build unix && !linux && !darwin

package durable

import "golang.org/x/sys/unix"

func renameNew(int, string, string) error { return unix.ENOSYS }
