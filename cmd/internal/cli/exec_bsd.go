//go:build unix && !linux

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

func asStdin(f *os.File) error { return unix.Dup2(int(f.Fd()), 0) }
