package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/lib/handoff"
)

// A File is a name without any directory, and its content.
type File struct {
	Name  string
	Bytes []byte
}

// WriteFiles creates the files in dir, a path relative to root that is made if need be; "." is root
// itself. Nothing outside root is ever touched, also not through symbolic links, and no file is
// replaced: one that is there already is taken for written if it has the same content, else it is an
// error that wraps fs.ErrExist. When one file fails, those created before it are removed. The files
// are synced to disk.
func WriteFiles(root, dir string, files ...File) error {
	base, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("open the directory to write to: %w", err)
	}
	defer func() { _ = base.Close() }()
	if err := base.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the directory to write to: %w", notDir(err))
	}
	place, err := base.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the directory to write to: %w", err)
	}
	defer func() { _ = place.Close() }()
	var made []string
	for _, f := range files {
		created, err := createFile(place, f)
		if created {
			made = append(made, f.Name)
		}
		if err != nil {
			for _, name := range made {
				_ = place.Remove(name)
			}
			return err
		}
	}
	return nil
}

// notDir keeps what stands in the place of a directory apart from a file that is there already.
func notDir(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return &handoff.Error{Class: handoff.ErrConfig, Problem: err.Error()}
	}
	return err
}

// createFile writes one file that must not exist and reports whether it made it.
func createFile(place *os.Root, f File) (created bool, err error) {
	if f.Name != filepath.Base(f.Name) || !filepath.IsLocal(f.Name) || f.Name == "." || strings.ContainsAny(f.Name, `/\:`) {
		return false, &handoff.Error{Class: handoff.ErrInvalid, Problem: fmt.Sprintf("%q is not a file name", f.Name)}
	}
	file, err := place.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) && holdsFile(place, f) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("write %s: %w", f.Name, err)
	}
	_, err = file.Write(f.Bytes)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		err = fmt.Errorf("write %s: %w", f.Name, err)
	}
	return true, err
}

// holdsFile reports whether a regular file of that name has that content already.
func holdsFile(place *os.Root, f File) bool {
	info, err := place.Lstat(f.Name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(f.Bytes)) {
		return false
	}
	file, err := place.Open(f.Name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, info.Size()+1))
	return err == nil && bytes.Equal(content, f.Bytes)
}
