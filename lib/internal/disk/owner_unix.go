//go:build unix

package disk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// keepOwner gives f the owner of old, if the caller is root and old belongs to another user.
func keepOwner(f *os.File, old os.FileInfo) error {
	if os.Geteuid() != 0 {
		return nil
	}
	was := old.Sys().(*syscall.Stat_t)
	if was.Uid == 0 && was.Gid == 0 {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}

// giveTo is keepOwner for a new file in dir. The file stays with root if root may not change owners, as in a
// container.
func giveTo(dir os.FileInfo, f *os.File) error {
	err := keepOwner(f, dir)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) {
		return nil
	}
	return err
}

// give gives a new file in d to the owner of d, who could not use a file of root.
func (d *Dir) give(f *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	dir, err := d.Stat()
	if err != nil {
		return err
	}
	return giveTo(dir, f)
}

// giveDir is give for a new directory. It skips a directory that is not empty, since another process replaced
// it.
func (d *Dir) giveDir(made *Dir) error {
	if os.Geteuid() != 0 {
		return nil
	}
	names, err := made.Names(func(string) bool { return true })
	if err != nil || len(names) > 0 {
		return err
	}
	return d.give(made.f)
}

// create creates the file name, which must not exist.
func (d *Dir) create(name string, flags int, perm os.FileMode) (*os.File, error) {
	fd, err := d.openat(name, flags|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, uint32(perm.Perm()))
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), filepath.Join(d.path, name))
	if err := d.give(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
