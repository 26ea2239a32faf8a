package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FindRoot returns the root of the project that start, a directory, lies in: the nearest directory
// from start upward that has a .handoff.yaml of whatever kind, and hasFile is true; else the nearest
// one with a .git directory or file, else start itself. The root is absolute and free of symbolic links.
func FindRoot(start string) (root string, hasFile bool, err error) {
	dir, err := filepath.Abs(start)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir) // the parents of the real place count, as they do for git
	}
	if err != nil {
		return "", false, fmt.Errorf("cannot find the project root from %q: %w; name it with --root", start, err)
	}
	if root, hasFile, err = above(dir, Name, os.Lstat); hasFile || err != nil {
		return root, hasFile, err
	}
	if root, inGit, err := above(dir, ".git", os.Stat); inGit || err != nil {
		return root, false, err
	}
	return dir, false, nil
}

// above returns the nearest directory from dir upward that has an entry of that name.
func above(dir, name string, stat func(string) (fs.FileInfo, error)) (string, bool, error) {
	for {
		_, err := stat(filepath.Join(dir, name))
		if err == nil {
			return dir, true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", false, fmt.Errorf("cannot find the project root: %w; name it with --root", err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false, nil
		}
		dir = parent
	}
}

// read returns the text of the settings file in root, nil when there is none.
func read(root string) ([]byte, error) {
	path := filepath.Join(root, Name)
	refused := fmt.Errorf("%s is not a regular file; replace it by one", path)
	file, err := os.OpenFile(path, openFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			return nil, refused
		}
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, refused
	}
	src, err := io.ReadAll(io.LimitReader(file, MaxBytes+1)) // one more, so that Parse sees that it is too large
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings: %w", err)
	}
	return src, nil
}
