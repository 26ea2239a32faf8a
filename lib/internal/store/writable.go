package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// CanWrite reports whether a change could write its files or, in a new store, make its directories. It opens
// the files and changes nothing: a sandbox can refuse what the modes allow.
func (s *Store) CanWrite() bool {
	for _, name := range []string{filepath.Join(s.Opt.Dir, disk.Lock), filepath.Join(s.Opt.StateDir, disk.LogFile)} {
		f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			f.Close()
		}
		for dir := filepath.Dir(name); errors.Is(err, fs.ErrNotExist) &&
			dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if err = mayMakeIn(dir); err == nil {
				break
			}
		}
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return false
		}
	}
	return true
}
