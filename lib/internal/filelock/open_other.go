//go:build !unix

package filelock

import (
	"io/fs"
	"os"
)

const openFlags = os.O_RDWR

func links(fs.FileInfo) uint64 { return 1 }

func inode(fs.FileInfo) uint64 { return 0 }
