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

// Create creates a complete file or none, even after a crash: the file gets its name when its content is on disk. A
// killed process leaves at most a file with ".partial-" in its name next to it. An existing file stays: fs.ErrExist.
// If the file cannot be created, the error is ErrInvalid. If the disk is full, it has no class.
func Create(path string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	temp := path + ".partial-" + rand.Text()[:8]
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return explain(path, temp, err)
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
		err = publish(temp, path)
	}
	return explain(path, temp, err)
}

// publish gives a file its name, and never replaces another file. Not all file systems have links.
func publish(temp, path string) error {
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

// syncName makes the name of a file durable.
func syncName(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err = dir.Sync(); errors.Is(err, fs.ErrPermission) { // Windows cannot sync directories
		return nil
	}
	return err
}

// explain adds what to do to an error about the file.
func explain(path, temp string, err error) error {
	of, link := (*fs.PathError)(nil), (*os.LinkError)(nil)
	isOfFile := errors.As(err, &of) && of.Path == temp || errors.As(err, &link) && link.Old == temp
	switch {
	case !isOfFile || errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission),
		errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return fault.Invalid("check the path", "cannot write %s: %v", path, cause(err))
	}
	return fault.New(nil, "make room, or name a file elsewhere, and run it again",
		"cannot write %s: %v", path, cause(err))
}

// cause returns the system error without the name of the temporary file.
func cause(err error) error {
	number := syscall.Errno(0)
	if errors.As(err, &number) {
		return number
	}
	return err
}
