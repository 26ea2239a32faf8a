package store

import "golang.org/x/sys/unix"

// mayMakeIn returns why no file can be made in a directory. It makes one without a name, which is gone at once:
// access(2) does not know what Landlock and AppArmor refuse.
func mayMakeIn(dir string) error {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	switch err {
	case nil:
		return unix.Close(fd)
	case unix.EACCES, unix.EPERM, unix.EROFS:
		return err
	}
	return unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS) // without such files
}
