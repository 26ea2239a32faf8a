package bundle

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
	"github.com/seed-78daf238/handoff/lib/internal/disk"
)

// Create creates a complete file or none, even after a crash: the file gets its name when its content is on disk. An
// existing file stays: fs.ErrExist. If the file cannot be created, the error is ErrInvalid. If the disk is full, it has
// no class.
func Create(path string, perm fs.FileMode, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	d, err := openDir(path)
	if err != nil {
		return explain(path, err)
	}
	defer d.Close()
	staged, err := d.BeginStage(nil, perm)
	if err != nil {
		return explain(path, err)
	}
	defer staged.Discard()
	buffered := bufio.NewWriterSize(staged, 256<<10)
	failed := write(buffered)
	if err = buffered.Flush(); err == nil && failed != nil { // the file could be written
		return failed
	}
	if err == nil {
		err = staged.Sync()
	}
	if err == nil {
		err = staged.Publish(filepath.Base(path))
	}
	return explain(path, cmp.Or(err, d.Sync()))
}

// openDir opens the directory of a file.
func openDir(path string) (*disk.Dir, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return disk.OpenDir(dir)
}

// explain adds what to do to an error about the file.
func explain(path string, err error) error {
	if number := syscall.Errno(0); errors.As(err, &number) {
		err = number // path names the file
	}
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission),
		errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return fault.Invalid("check the path", "cannot write %s: %v", path, err)
	}
	return fault.New(nil, "make room, or name a file elsewhere, and run it again", "cannot write %s: %v", path, err)
}
