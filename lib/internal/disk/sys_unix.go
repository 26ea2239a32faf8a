//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/google/renameio/v2"
)

const (
	openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY      // a FIFO or a terminal may take the place of a file
	syncFlags = os.O_RDONLY                                // also a file of another user
	lockFlags = os.O_RDWR | syscall.O_NOFOLLOW | openFlags // NFS does not lock a file that is open only for reading
)

func ownerOf(info fs.FileInfo) (user, group int) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid), int(s.Gid)
	}
	return -1, -1
}

// pending makes a file that will replace another one, and returns what syncs it and puts it there.
func (d *Dir) pending(name string, perm fs.FileMode) (f *os.File, replace func() error, err error) {
	p, err := renameio.NewPendingFile(name, renameio.WithRoot(d.root), renameio.WithPermissions(perm))
	if err != nil {
		return nil, nil, err
	}
	return p.File, p.CloseAtomicallyReplace, nil
}
