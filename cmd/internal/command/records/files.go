package records

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-78daf238/handoff/cmd/internal/cli"
	"github.com/seed-78daf238/handoff/lib/handoff"
	"github.com/seed-78daf238/handoff/lib/universal"
)

// writeFiles creates files in dir, a path relative to root that is created if needed; "." is root itself. It writes
// nothing outside root, even through symbolic links, and replaces no file. If a file exists with the same content, it
// counts as written; otherwise the error wraps fs.ErrExist. If one file fails, the files created before it are removed.
// The files are synced to disk.
func writeFiles(root, dir string, files ...universal.File) error {
	base, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("open the directory to write to: %w", err)
	}
	defer base.Close()
	if err := base.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the directory to write to: %w", notDir(err))
	}
	place, err := base.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the directory to write to: %w", err)
	}
	defer place.Close()
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

// notDir changes the error if a file has the name of the directory, so that it does not wrap fs.ErrExist.
func notDir(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return &handoff.Error{Class: handoff.ErrConfig, Problem: err.Error()}
	}
	return err
}

// createFile writes a new file and reports whether it created it.
func createFile(place *os.Root, f universal.File) (created bool, err error) {
	if !filepath.IsLocal(f.Name) || f.Name == "." || strings.ContainsAny(f.Name, `/\:`) {
		return false, cli.Invalid("", "%q is not a file name", f.Name)
	}
	out, err := place.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) && holdsFile(place, f) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("write %s: %w", f.Name, err)
	}
	_, err = out.Write(f.Bytes)
	err = errors.Join(err, out.Sync(), out.Close())
	if err != nil {
		err = fmt.Errorf("write %s: %w", f.Name, err)
	}
	return true, err
}

// holdsFile reports whether a regular file with that name and content exists.
func holdsFile(place *os.Root, f universal.File) bool {
	info, err := place.Lstat(f.Name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(f.Bytes)) {
		return false
	}
	content, err := place.ReadFile(f.Name)
	return err == nil && bytes.Equal(content, f.Bytes)
}
