//go:build unix && !linux

package store

import "golang.org/x/sys/unix"

func mayMakeIn(dir string) error {
	return unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}
