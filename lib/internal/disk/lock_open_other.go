//go:build !unix

package disk

import (
	"io/fs"
	"os"
)

const openFlags = os.O_RDWR

func lockLinks(fs.FileInfo) uint64 { return 1 }

func inode(fs.FileInfo) uint64 { return 0 }
