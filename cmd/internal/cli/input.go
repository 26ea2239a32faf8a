package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// MaxInput is the largest file in bytes. The limit of the store is smaller. A pipe can have more, so that its text is
// kept if it is too long.
const (
	MaxInput = 4 << 20
	maxPiped = 64 << 20
)

// Documents returns the *.md and *.json files of a directory by name, without the index of a store. If there are none,
// it is an error. So is a link: git may have brought it, and it may lead to a file that nobody wants to hand over.
func Documents(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, InputError(dir, err)
	}
	for _, e := range entries {
		path, ext := filepath.Join(dir, e.Name()), filepath.Ext(e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."), handoff.IsIndex(e.Name()), ext != ".md" && ext != ".json", e.IsDir():
		case e.Type()&fs.ModeSymlink != 0:
			return nil, Invalid("name the file that is meant, or remove the link", "%s is a link", path)
		default:
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, Invalid("", "%s has no *.md or *.json files", dir)
	}
	return paths, nil
}

// ReadInput reads a regular file of at most MaxInput bytes. It never waits for a FIFO.
func ReadInput(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, InputError(path, err)
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, InputError(path, err)
	case info.IsDir():
		return nil, Invalid("name a file in it", "%s is a directory", path)
	case !info.Mode().IsRegular():
		return nil, Invalid("name - in place of the path, and redirect standard input: - <"+path,
			"%s is not a regular file", path)
	}
	return ReadAll(f, path, MaxInput)
}

// ReadAll reads all of an input, which has a name in messages and may have most bytes.
func ReadAll(from io.Reader, name string, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case err != nil:
		err = InputError(name, err)
	case int64(len(text)) > most:
		err = Invalid("shorten it", "%s has more than %d bytes", name, most)
	}
	return text, err
}

// ReadNamed reads a file, or standard input for "-", and returns its name in messages.
func (a *App) ReadNamed(path string) (name string, text []byte, err error) {
	if path == "-" {
		text, err = ReadAll(a.Stdin, "standard input", MaxInput)
		return "standard input", text, err
	}
	text, err = ReadInput(path)
	return path, text, err
}

// InputError returns why an input cannot be read. A wrong path is invalid input.
func InputError(path string, err error) error {
	return pathError("read", path, err)
}

// OutputError is InputError for an output.
func OutputError(path string, err error) error {
	return pathError("write", path, err)
}

func pathError(do, path string, err error) error {
	var reason syscall.Errno
	why := err.Error()
	if errors.As(err, &reason) {
		why = reason.Error()
	}
	isWrong := func(reason error) bool { return errors.Is(err, reason) }
	if slices.ContainsFunc([]error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.EISDIR, syscall.ENXIO,
		syscall.ELOOP, syscall.ENAMETOOLONG}, isWrong) {
		return Invalid("check the path", "cannot "+do+" %s: %s", path, why)
	}
	return fmt.Errorf("nothing stored: cannot %s %s: %w", do, path, err)
}
