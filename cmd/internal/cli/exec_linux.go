package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// inputFile returns a file in memory, so that no writable directory is needed.
func inputFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("handoff-stdin", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "standard input"), nil
}

func asStdin(f *os.File) error { return unix.Dup3(int(f.Fd()), 0, 0) }
