package bundle

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/fault"
)

// Create makes a file that is whole or not there, also after a crash: it gets its name once all of it is on disk.
// Who is killed leaves at most a file beside it whose name goes on with ".partial-". A file that is there stays, and
// is fs.ErrExist; where the file cannot be made, the error is ErrInvalid, and one without a class where there is no
// room.
func Create(path string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	temp := path + ".partial-" + rand.Text()[:8]
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return unwritten(path, temp, err)
	}
	defer os.Remove(temp)
	defer f.Close()
	buffered := bufio.NewWriterSize(f, 256<<10)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = name(temp, path)
	}
	return unwritten(path, temp, err)
}

// name gives a file its name, never in the place of another file. Not all file systems have links.
func name(temp, path string) error {
	err := os.Link(temp, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		if _, err = os.Lstat(path); err == nil {
			return fs.ErrExist
		}
		err = os.Rename(temp, path)
	}
	if err != nil {
		return err
	}
	return syncName(path)
}

// syncName makes the name of a file survive a power cut.
func syncName(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err = dir.Sync(); errors.Is(err, fs.ErrPermission) { // Windows has no such thing
		return nil
	}
	return err
}

// unwritten says of an error about the file what to do.
func unwritten(path, temp string, err error) error {
	of, link := (*fs.PathError)(nil), (*os.LinkError)(nil)
	isOfFile := errors.As(err, &of) && of.Path == temp || errors.As(err, &link) && link.Old == temp
	switch {
	case !isOfFile || errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission),
		errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return fault.New(fault.ErrInvalid, "check the path", "cannot write %s: %v", path, cause(err))
	}
	return fault.New(nil, "make room, or name a file elsewhere, and run it again",
		"cannot write %s: %v", path, cause(err))
}

// cause is what the system said, without the name of a file that is gone.
func cause(err error) error {
	number := syscall.Errno(0)
	if errors.As(err, &number) {
		return number
	}
	return err
}
